#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "stash/core/injection.h"
#include "stash/core/job_device.h"
#include "stash/core/nullable.h"
#include "stash/core/trace.h"

namespace stash {

// A key that a document may hold, from the list of fields that reads and writes it (json_fields.h).
struct JsonKey {
  std::string path;  // windows[].ranks[].wall_s
  std::string type;  // number, string or null, list, object
  std::string meaning = {};
};

// What the key at this path means.
using KeyMeaning = std::pair<std::string_view, std::string_view>;

// Adds the meanings to the keys. Error where a key has none, or where a meaning has no key.
std::vector<JsonKey> described(std::vector<JsonKey> keys, std::span<const KeyMeaning> meanings);

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

// The third visitor of fields(), beside Writer and Reader.
class KeyLister {
 public:
  template <class T>
  void operator()(const char* key, const T& value, double = 0) {
    add(key, "", value);
  }
  template <class T>
  void or_default(const char* key, const T& value, double = 0) {
    add(key, "", value);
  }
  std::vector<JsonKey>& keys() { return keys_; }

 private:
  template <class T>
  void add(const std::string& key, const std::string& suffix, const std::optional<T>&) {
    add(key, suffix + " or null", T{});
  }
  template <class T>
  void add(const std::string& key, const std::string& suffix, const json_fields::Nullable<T>& nullable) {
    add(key, suffix + " or null", nullable.value);
  }
  template <class T>
  void add(const std::string& key, const std::string& suffix, const std::vector<T>&) {
    keys_.push_back({prefix_ + key, "list" + suffix});
    enter(key + "[].", inner(T{}));
  }
  template <class T>
  void add(const std::string& key, const std::string& suffix, const std::map<std::string, T>&) {
    keys_.push_back({prefix_ + key, "object" + suffix});
  }
  template <class T>
  void add(const std::string& key, const std::string& suffix, const T& value) {
    keys_.push_back({prefix_ + key, std::string(type_of<T>()) + suffix});
    enter(key + ".", value);
  }

  template <class T>
  static T inner(const std::optional<T>&) {
    return T{};
  }
  template <class T>
  static const T& inner(const T& value) {
    return value;
  }

  // Classes that are written as one value; a list of lists is not entered.
  template <class T>
  static constexpr bool is_value =
      is_list<T> || !std::is_class_v<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Injection> ||
      std::is_same_v<T, Span> || std::is_same_v<T, JobDevice>;

  template <class T>
  static constexpr std::string_view type_of() {
    if constexpr (std::is_same_v<T, bool>) return "true or false";
    if constexpr (std::is_integral_v<T>) return "integer";
    if constexpr (std::is_arithmetic_v<T>) return "number";
    return is_value<T> ? "string" : "object";
  }

  template <class T>
  void enter(const std::string& step, const T& value) {
    if constexpr (!is_value<T>) {
      const std::string outside = std::exchange(prefix_, prefix_ + step);
      list_fields(*this, value);
      prefix_ = outside;
    }
  }

  std::string prefix_;
  std::vector<JsonKey> keys_;
};

template <class T>
void list_fields(KeyLister& lister, const T& value) {
  fields(lister, value);
}
void list_fields(KeyLister& lister, const WindowTrace& value);  // trace.cpp

}  // namespace stash
