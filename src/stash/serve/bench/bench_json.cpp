#include "stash/serve/bench/bench_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/core/version.h"

namespace stash {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int kBenchSchema = 1;

OrderedJson or_null(const std::optional<double>& value) { return value ? OrderedJson(*value) : OrderedJson(); }

// Values by name; what is wrong is said with the name of the place.
class Place {
 public:
  Place(const nlohmann::json& json, std::string name) : json_(json), name_(std::move(name)) {
    if (!json.is_object()) fail("must be an object");
  }

  double number(const char* key) const {
    const std::optional<double> value = maybe(key);
    if (!value) fail(fmt::format("lacks the number '{}'", key));
    return *value;
  }
  std::optional<double> maybe(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end() || found->is_null()) return std::nullopt;
    if (!found->is_number() || !std::isfinite(found->get<double>())) fail(fmt::format("'{}' is no number", key));
    return found->get<double>();
  }
  int count(const char* key) const {
    const double value = number(key);
    if (value < 0 || value > 1e9) fail(fmt::format("'{}' is out of range", key));
    return static_cast<int>(value);
  }
  std::string text(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_string()) fail(fmt::format("lacks the text '{}'", key));
    return found->get<std::string>();
  }
  std::optional<Place> maybe_at(std::string_view key) const {
    const auto found = json_.find(key);
    if (found == json_.end() || found->is_null()) return std::nullopt;
    return Place(*found, fmt::format("{}.{}", name_, key));
  }
  Place at(std::string_view key) const {
    const std::optional<Place> found = maybe_at(key);
    if (!found) fail(fmt::format("lacks '{}'", key));
    return *found;
  }
  template <class Take>
  void each(const char* key, const Take& take) const {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_array()) fail(fmt::format("lacks the list '{}'", key));
    for (const auto& one : *found) take(Place(one, fmt::format("{}.{}", name_, key)));
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { throw Error(fmt::format("{} {}", name_, what)); }

  const nlohmann::json& json_;
  std::string name_;
};

OrderedJson part_json(const std::optional<BenchPart>& part) {
  if (!part) return {};
  return {{"s", part->s},         {"low_s", or_null(part->low_s)}, {"high_s", or_null(part->high_s)},
          {"p50_s", part->p50_s}, {"p90_s", part->p90_s},          {"p99_s", part->p99_s}};
}

}  // namespace

OrderedJson bench_json(const ServeBench& bench) {
  OrderedJson parts = OrderedJson::object();
  for (const RequestPart part : every(RequestPart{})) {
    parts[std::string(to_string(part))] = part_json(bench.parts[static_cast<std::size_t>(part)]);
  }
  OrderedJson primitives = OrderedJson::array(), batches = OrderedJson::array();
  for (const BenchPrimitive& one : bench.primitives) {
    primitives.push_back({{"name", one.name},
                          {"setting", one.setting},
                          {"against", one.against},
                          {"saves_s", or_null(one.saves_s)},
                          {"low_s", or_null(one.low_s)},
                          {"high_s", or_null(one.high_s)}});
  }
  for (const BatchTime& one : bench.batches) batches.push_back({{"batch", one.batch}, {"s", one.s}});
  return {{"schema_version", kBenchSchema},
          {"tool", tool_json()},
          {"model", bench.model},
          {"platform", bench.platform},
          {"settings", bench.settings},
          {"objective_s", or_null(bench.objective_s)},
          {"rate_per_s", bench.rate_per_s},
          {"window_s", bench.window_s},
          {"rounds", bench.rounds},
          {"requests", bench.requests},
          {"latency",
           {{"mean_s", bench.mean_s},
            {"p50_s", bench.p50_s},
            {"p90_s", bench.p90_s},
            {"p99_s", bench.p99_s},
            {"throughput_per_s", bench.throughput_per_s},
            {"refused_ratio", or_null(bench.refused_ratio)},
            {"failed_ratio", or_null(bench.failed_ratio)},
            {"within_objective_ratio", or_null(bench.within_objective_ratio)}}},
          {"mean_batch", or_null(bench.mean_batch)},
          {"parts", parts},
          {"primitives", primitives},
          {"batches", batches},
          {"client_late_s", bench.client_late_s},
          {"rejected", bench.why_rejected.empty() ? OrderedJson() : OrderedJson(bench.why_rejected)}};
}

ServeBench bench_from_json_text(std::string_view text) {
  const nlohmann::json json = parse_json(text, "the file");
  const Place root(json, "the file");
  if (root.count("schema_version") != kBenchSchema) {
    throw Error(fmt::format("the file has schema {}, this Stash reads {}: use the Stash that made it",
                            root.count("schema_version"), kBenchSchema));
  }
  ServeBench bench;
  bench.model = root.text("model");
  bench.platform = root.text("platform");
  bench.settings = root.text("settings");
  bench.objective_s = root.maybe("objective_s");
  bench.rate_per_s = root.number("rate_per_s");
  bench.window_s = root.number("window_s");
  bench.rounds = root.count("rounds");
  bench.requests = static_cast<std::size_t>(root.count("requests"));
  const Place latency = root.at("latency");
  bench.mean_s = latency.number("mean_s");
  bench.p50_s = latency.number("p50_s");
  bench.p90_s = latency.number("p90_s");
  bench.p99_s = latency.number("p99_s");
  bench.throughput_per_s = latency.number("throughput_per_s");
  bench.refused_ratio = latency.maybe("refused_ratio");
  bench.failed_ratio = latency.maybe("failed_ratio");
  bench.within_objective_ratio = latency.maybe("within_objective_ratio");
  bench.mean_batch = root.maybe("mean_batch");
  const Place parts = root.at("parts");
  for (const RequestPart part : every(RequestPart{})) {
    const std::optional<Place> one = parts.maybe_at(to_string(part));
    if (!one) continue;
    bench.parts[static_cast<std::size_t>(part)] = BenchPart{.s = one->number("s"),
                                                            .low_s = one->maybe("low_s"),
                                                            .high_s = one->maybe("high_s"),
                                                            .p50_s = one->number("p50_s"),
                                                            .p90_s = one->number("p90_s"),
                                                            .p99_s = one->number("p99_s")};
  }
  root.each("primitives", [&](const Place& one) {
    bench.primitives.push_back({.name = one.text("name"),
                                .setting = one.text("setting"),
                                .against = one.text("against"),
                                .saves_s = one.maybe("saves_s"),
                                .low_s = one.maybe("low_s"),
                                .high_s = one.maybe("high_s")});
  });
  root.each("batches", [&](const Place& one) { bench.batches.push_back({one.count("batch"), one.number("s")}); });
  bench.client_late_s = root.number("client_late_s");
  if (json.contains("rejected") && json["rejected"].is_string()) bench.why_rejected = json["rejected"];
  return bench;
}

ServeBench read_serve_bench(const std::filesystem::path& path) {
  try {
    return bench_from_json_text(read_file(path, kLargestServeBench_bytes));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace stash
