#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "stash/core/condition.h"
#include "stash/core/error.h"
#include "stash/core/injection.h"
#include "stash/core/profile.h"

// Both directions between structs and JSON from one list of fields. For a struct S,
//   template <class V, FieldsOf<S> T> void fields(V& visit, T& s) { visit("name", s.name); ... }
// names them; a third argument is the smallest value allowed.
namespace stash::json_fields {

template <class T, class S>
concept FieldsOf = std::is_same_v<std::remove_const_t<T>, S>;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// Where a value stands in its document; spelled out only when a message needs it.
struct Path {
  const Path* parent = nullptr;
  std::string_view key;
  std::size_t index = 0;

  std::string text() const {
    if (parent == nullptr) return std::string(key);
    const std::string before = parent->text();
    if (key.empty()) return fmt::format("{}[{}]", before, index);
    return before.empty() ? std::string(key) : fmt::format("{}.{}", before, key);
  }
};

[[noreturn]] inline void fail(const Path& path, std::string_view what) {
  const std::string where = path.text();
  throw Error(fmt::format("{} {}", where.empty() ? "the document" : where, what));
}

using Json = nlohmann::json;

Json write(const bool& value);
Json write(const double& value);
Json write(const std::string& value);
Json write(const Condition& value);
Json write(const StoppedBy& value);
Json write(const Injection& value);

void read(const Json& json, const Path& path, bool& value);
void read(const Json& json, const Path& path, double& value);
void read(const Json& json, const Path& path, std::string& value);
void read(const Json& json, const Path& path, Condition& value);
void read(const Json& json, const Path& path, StoppedBy& value);
void read(const Json& json, const Path& path, Injection& value);

template <std::integral T>
requires(!std::same_as<T, bool>) Json write(const T& value) { return value; }

template <std::integral T>
requires(!std::same_as<T, bool>) void read(const Json& json, const Path& path, T& value) {
  if (!json.is_number_integer()) fail(path, "must be a whole number");
  const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                              : std::in_range<T>(json.get<std::int64_t>());
  if (!fits) fail(path, fmt::format("is {}, which is out of range", json.dump()));
  value = json.get<T>();
}

template <class T>
Json write(const std::optional<T>& value);
template <class T>
Json write(const std::vector<T>& values);
template <class T>
Json write(const std::map<std::string, T>& values);
template <class T>
requires std::is_class_v<T> Json write(const T& object);

template <class T>
void read(const Json& json, const Path& path, std::optional<T>& value);
template <class T>
void read(const Json& json, const Path& path, std::vector<T>& values);
template <class T>
void read(const Json& json, const Path& path, std::map<std::string, T>& values);
template <class T>
requires std::is_class_v<T>
void read(const Json& json, const Path& path, T& object);

class Writer {
 public:
  template <class T>
  void operator()(const char* key, const T& value, double = 0) {
    json_[key] = write(value);
  }
  template <class T>
  void or_default(const char* key, const T& value, double = 0) {
    json_[key] = write(value);
  }
  Json take() { return std::move(json_); }

 private:
  Json json_ = Json::object();
};

class Reader {
 public:
  Reader(const Json& json, const Path& path) : json_(json), path_(path) {
    if (!json.is_object()) fail(path, "must be an object");
  }
  template <class T>
  void operator()(const char* key, T& value) {
    const Path at{&path_, key};
    const auto found = json_.find(key);
    if (found != json_.end()) {
      read(*found, at, value);
    } else if constexpr (is_optional<T>) {
      value.reset();
    } else {
      fail(at, "is missing");
    }
  }
  template <class T>
  void operator()(const char* key, T& value, double least) {
    (*this)(key, value);
    check(Path{&path_, key}, value, least);
  }
  // A missing key leaves the value as it is.
  template <class T>
  void or_default(const char* key, T& value) {
    if (json_.contains(key)) (*this)(key, value);
  }
  template <class T>
  void or_default(const char* key, T& value, double least) {
    if (json_.contains(key)) (*this)(key, value, least);
  }

 private:
  template <class T>
  static void check(const Path& path, const T& value, double least) {
    if constexpr (is_optional<T>) {
      if (value) check(path, *value, least);
    } else if (static_cast<double>(value) < least) {
      fail(path, fmt::format("is {}; it must be at least {}", value, least));
    }
  }

  const Json& json_;
  const Path& path_;
};

template <class T>
Json write(const std::optional<T>& value) {
  return value ? write(*value) : Json(nullptr);
}

template <class T>
Json write(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(write(value));
  return array;
}

template <class T>
Json write(const std::map<std::string, T>& values) {
  Json object = Json::object();
  for (const auto& [key, value] : values) object[key] = write(value);
  return object;
}

template <class T>
requires std::is_class_v<T> Json write(const T& object) {
  Writer writer;
  fields(writer, object);
  return writer.take();
}

template <class T>
void read(const Json& json, const Path& path, std::optional<T>& value) {
  value.reset();
  if (!json.is_null()) read(json, path, value.emplace());
}

template <class T>
void read(const Json& json, const Path& path, std::vector<T>& values) {
  if (!json.is_array()) fail(path, "must be an array");
  values.clear();
  values.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) read(json[i], Path{&path, {}, i}, values.emplace_back());
}

template <class T>
void read(const Json& json, const Path& path, std::map<std::string, T>& values) {
  if (!json.is_object()) fail(path, "must be an object");
  values.clear();
  for (const auto& [key, value] : json.items()) read(value, Path{&path, key}, values[key]);
}

template <class T>
requires std::is_class_v<T>
void read(const Json& json, const Path& path, T& object) {
  Reader reader(json, path);
  fields(reader, object);
}

}  // namespace stash::json_fields
