#pragma once

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
#include "stash/core/job_device.h"
#include "stash/core/nullable.h"
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

  std::string text() const;
};

[[noreturn]] void fail(const Path& path, std::string_view what);

using Json = nlohmann::json;

// What would instantiate the JSON library in every field stands in json.cpp.
Json empty_object();
Json empty_array();
Json null();
void put(Json& object, const char* key, Json&& value);
void push(Json& array, Json&& value);
const Json* find(const Json& object, const char* key);  // nullptr: has no such key
void check_object(const Json& json, const Path& path);
const std::vector<Json>& elements(const Json& json, const Path& path);
const std::map<std::string, Json, std::less<>>& members(const Json& json, const Path& path);
void check_least(const Path& path, double value, double least);
bool is_null(const Json& json);

Json write(const bool& value);
Json write(const int& value);
Json write(const std::int64_t& value);
Json write(const std::uint64_t& value);
Json write(const double& value);
Json write(const std::string& value);
Json write(const Condition& value);
Json write(const StoppedBy& value);
Json write(const Injection& value);
Json write(const JobDevice& value);
Json write(const Span& value);         // trace.cpp
Json write(const WindowTrace& value);  // trace.cpp

void read(const Json& json, const Path& path, bool& value);
void read(const Json& json, const Path& path, int& value);
void read(const Json& json, const Path& path, std::int64_t& value);
void read(const Json& json, const Path& path, std::uint64_t& value);
void read(const Json& json, const Path& path, double& value);
void read(const Json& json, const Path& path, std::string& value);
void read(const Json& json, const Path& path, Condition& value);
void read(const Json& json, const Path& path, StoppedBy& value);
void read(const Json& json, const Path& path, Injection& value);
void read(const Json& json, const Path& path, JobDevice& value);
void read(const Json& json, const Path& path, Span& value);
void read(const Json& json, const Path& path, WindowTrace& value);

// An enum is its name: to_string(T), and every(T) gives all values.
template <class T>
  requires std::is_enum_v<T>
Json write(const T& value);
template <class T>
Json write(const std::optional<T>& value);
template <class T>
Json write(const Nullable<T>& value);
template <class T>
Json write(const std::vector<T>& values);
template <class T>
Json write(const std::map<std::string, T>& values);
template <class T>
  requires std::is_class_v<T>
Json write(const T& object);

template <class T>
  requires std::is_enum_v<T>
void read(const Json& json, const Path& path, T& value);
template <class T>
void read(const Json& json, const Path& path, std::optional<T>& value);
template <class T>
void read(const Json& json, const Path& path, Nullable<T>& value);
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
    put(json_, key, write(value));
  }
  template <class T>
  void or_default(const char* key, const T& value, double = 0) {
    put(json_, key, write(value));
  }
  Json& json() { return json_; }

 private:
  Json json_ = empty_object();
};

class Reader {
 public:
  Reader(const Json& json, const Path& path) : json_(json), path_(path) { check_object(json, path); }

  template <class T>
  void operator()(const char* key, T& value, double least = std::numeric_limits<double>::lowest()) {
    const Path at{&path_, key};
    if (const Json* found = find(json_, key)) {
      read_at(*found, at, value, least);
    } else if constexpr (is_optional<T>) {
      value.reset();
    } else {
      fail(at, "is missing");
    }
  }
  // A missing key leaves the value as it is.
  template <class T>
  void or_default(const char* key, T& value, double least = std::numeric_limits<double>::lowest()) {
    if (const Json* found = find(json_, key)) read_at(*found, Path{&path_, key}, value, least);
  }

 private:
  template <class T>
  static void read_at(const Json& json, const Path& path, T& value, double least) {
    read(json, path, value);
    if constexpr (std::is_arithmetic_v<T>) {
      check_least(path, static_cast<double>(value), least);
    } else if constexpr (is_nullable<T>) {
      if constexpr (std::is_arithmetic_v<std::remove_reference_t<decltype(value.value)>>) {
        check_least(path, static_cast<double>(value.value), least);
      }
    } else if constexpr (is_optional<T>) {
      if constexpr (std::is_arithmetic_v<typename T::value_type>) {
        if (value) check_least(path, static_cast<double>(*value), least);
      }
    }
  }

  const Json& json_;
  const Path& path_;
};

template <class T>
  requires std::is_enum_v<T>
Json write(const T& value) {
  return write(std::string(to_string(value)));
}

template <class T>
Json write(const std::optional<T>& value) {
  return value ? write(*value) : null();
}

template <class T>
Json write(const Nullable<T>& nullable) {
  return nullable.value == std::remove_const_t<T>{} ? null() : write(nullable.value);
}

template <class T>
Json write(const std::vector<T>& values) {
  Json array = empty_array();
  for (const T& value : values) push(array, write(value));
  return array;
}

template <class T>
Json write(const std::map<std::string, T>& values) {
  Json object = empty_object();
  for (const auto& [key, value] : values) put(object, key.c_str(), write(value));
  return object;
}

template <class T>
  requires std::is_class_v<T>
Json write(const T& object) {
  Writer writer;
  fields(writer, object);
  return std::move(writer.json());
}

template <class T>
  requires std::is_enum_v<T>
void read(const Json& json, const Path& path, T& value) {
  std::string name;
  read(json, path, name);
  for (const T known : every(T{})) {
    if (to_string(known) != name) continue;
    value = known;
    return;
  }
  fail(path, "is '" + name + "', which is unknown");
}

template <class T>
void read(const Json& json, const Path& path, std::optional<T>& value) {
  value.reset();
  if (!is_null(json)) read(json, path, value.emplace());
}

template <class T>
void read(const Json& json, const Path& path, Nullable<T>& nullable) {
  nullable.value = T{};
  if (!is_null(json)) read(json, path, nullable.value);
}

template <class T>
void read(const Json& json, const Path& path, std::vector<T>& values) {
  values.clear();
  for (const Json& element : elements(json, path)) {
    const Path at{&path, {}, values.size()};
    read(element, at, values.emplace_back());
  }
}

template <class T>
void read(const Json& json, const Path& path, std::map<std::string, T>& values) {
  values.clear();
  for (const auto& [key, value] : members(json, path)) read(value, Path{&path, key}, values[key]);
}

template <class T>
  requires std::is_class_v<T>
void read(const Json& json, const Path& path, T& object) {
  Reader reader(json, path);
  fields(reader, object);
}

}  // namespace stash::json_fields
