#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "stash/core/json_fields.h"
#include "stash/core/profile_json.h"

namespace stash {

namespace {

constexpr std::size_t kLimitBytes = 64u << 20;
// A profile nests five deep; a document of nothing but brackets would need a hundred times its size.
constexpr int kLimitDepth = 32;
// A value takes up to a hundred bytes of memory and may take two in the file; this bounds the memory to half a
// gigabyte.
constexpr std::size_t kLimitValues = 4'000'000;

// Walks through a document without building it. (The library's own parser callback could refuse one too, but its
// time grows with the square of an array's length.)
class Inspector final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    const bool out_of_range = dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr;
    return refuse(out_of_range ? fmt::format("holds a number that is out of range, at byte {}", position)
                               : fmt::format("is truncated or damaged: no valid JSON from byte {} on", position));
  }

  const std::string& fault() const { return fault_; }

 private:
  bool refuse(std::string fault) {
    fault_ = std::move(fault);
    return false;
  }
  bool count() { return ++values_ <= kLimitValues || refuse(fmt::format("has more than {} values", kLimitValues)); }
  bool enter() {
    if (++depth_ > kLimitDepth) return refuse(fmt::format("is nested deeper than {} levels", kLimitDepth));
    return count();
  }
  bool leave() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::size_t values_ = 0;
  std::string fault_;
};

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view what) {
  if (text.size() > kLimitBytes) {
    throw Error(fmt::format("{} has {} bytes; at most {} are read", what, text.size(), kLimitBytes));
  }
  Inspector inspector;
  if (!nlohmann::json::sax_parse(text, &inspector)) throw Error(fmt::format("{} {}", what, inspector.fault()));
  return nlohmann::json::parse(text);
}

void accept_older_key(nlohmann::json& object, const char* older, const char* key) {
  if (!object.is_object() || !object.contains(older) || object.contains(key)) return;
  object[key] = std::move(object[older]);
  object.erase(older);
}

std::string dump_json(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

namespace json_fields {

namespace {

constexpr std::array kStopReasons{StoppedBy::precision, StoppedBy::time, StoppedBy::interrupted, StoppedBy::fault};

template <class T>
void read_whole(const Json& json, const Path& path, T& value) {
  if (!json.is_number_integer()) fail(path, "must be a whole number");
  const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                              : std::in_range<T>(json.get<std::int64_t>());
  if (!fits) fail(path, fmt::format("is {}, which is out of range", json.dump()));
  value = json.get<T>();
}

}  // namespace

std::string Path::text() const {
  if (parent == nullptr) return std::string(key);
  const std::string before = parent->text();
  if (key.empty()) return fmt::format("{}[{}]", before, index);
  return before.empty() ? std::string(key) : fmt::format("{}.{}", before, key);
}

void fail(const Path& path, std::string_view what) {
  const std::string where = path.text();
  throw Error(fmt::format("{} {}", where.empty() ? "the document" : where, what));
}

Json empty_object() { return Json::object(); }
Json empty_array() { return Json::array(); }
Json null() { return nullptr; }
void put(Json& object, const char* key, Json&& value) { object[key] = std::move(value); }
void push(Json& array, Json&& value) { array.push_back(std::move(value)); }
bool is_null(const Json& json) { return json.is_null(); }

const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

void check_object(const Json& json, const Path& path) {
  if (!json.is_object()) fail(path, "must be an object");
}

const std::vector<Json>& elements(const Json& json, const Path& path) {
  if (!json.is_array()) fail(path, "must be an array");
  return json.get_ref<const Json::array_t&>();
}

const std::map<std::string, Json, std::less<>>& members(const Json& json, const Path& path) {
  check_object(json, path);
  return json.get_ref<const Json::object_t&>();
}

void check_least(const Path& path, double value, double least) {
  if (value < least) fail(path, fmt::format("is {}; it must be at least {}", value, least));
}

Json write(const bool& value) { return value; }
Json write(const int& value) { return value; }
Json write(const std::int64_t& value) { return value; }
Json write(const std::uint64_t& value) { return value; }

Json write(const double& value) {
  if (!std::isfinite(value)) throw Error("a figure to be written is not finite; unknown figures are left out instead");
  return value;
}

Json write(const std::string& value) { return value; }
Json write(const Condition& value) { return to_string(value); }
Json write(const StoppedBy& value) { return to_string(value); }
Json write(const Injection& value) { return to_string(value); }
Json write(const JobDevice& value) { return value.text(); }

void read(const Json& json, const Path& path, bool& value) {
  if (!json.is_boolean()) fail(path, "must be true or false");
  value = json.get<bool>();
}

void read(const Json& json, const Path& path, int& value) { read_whole(json, path, value); }
void read(const Json& json, const Path& path, std::int64_t& value) { read_whole(json, path, value); }
void read(const Json& json, const Path& path, std::uint64_t& value) { read_whole(json, path, value); }

void read(const Json& json, const Path& path, double& value) {
  if (!json.is_number()) fail(path, "must be a number");
  value = json.get<double>();
  if (!std::isfinite(value)) fail(path, "must be finite");
}

void read(const Json& json, const Path& path, std::string& value) {
  if (!json.is_string()) fail(path, "must be a string");
  value = json.get<std::string>();
}

void read(const Json& json, const Path& path, Condition& value) {
  std::string name;
  read(json, path, name);
  try {
    value = parse_condition(name);
  } catch (const UsageError& error) {
    fail(path, fmt::format("holds an {}", error.what()));
  }
}

void read(const Json& json, const Path& path, StoppedBy& value) {
  std::string name;
  read(json, path, name);
  for (const StoppedBy reason : kStopReasons) {
    if (to_string(reason) == name) {
      value = reason;
      return;
    }
  }
  fail(path, fmt::format("is '{}'; it must be precision, time, interrupted or fault", name));
}

void read(const Json& json, const Path& path, Injection& value) {
  std::string text;
  read(json, path, text);
  try {
    value = parse_injection(text);
  } catch (const UsageError& error) {
    fail(path, fmt::format("is no injection: {}", error.what()));
  }
}

void read(const Json& json, const Path& path, JobDevice& value) {
  std::string text;
  read(json, path, text);
  value = JobDevice(std::move(text));
}

}  // namespace json_fields

}  // namespace stash
