#include "stash/catalog/instance_json.h"

#include <fmt/format.h>

#include "stash/catalog/instance_fields.h"
#include "stash/catalog/row_faults.h"
#include "stash/core/json_fields.h"
#include "stash/core/profile_json.h"

namespace stash {
namespace {

constexpr int kCatalogueSchemaVersion = 1;

std::string name_of(const nlohmann::json& row) {
  const auto name = row.is_object() ? row.find("name") : row.end();
  return name != row.end() && name->is_string() ? name->get<std::string>() : "without a name";
}

// Text may be missing in a file that somebody wrote; what check_instance wants is checked there.
class InstanceRowReader {
 public:
  InstanceRowReader(const nlohmann::json& json, const json_fields::Path& path) : reader_(json, path) {}

  template <class T>
  void operator()(const char* key, T& value) {
    reader_.or_default(key, value);
  }

 private:
  json_fields::Reader reader_;
};

}  // namespace

// Found by the templates of json_fields.
nlohmann::json write(const GpuLinks& links) { return std::string(to_string(links)); }

void read(const nlohmann::json& json, const json_fields::Path& path, GpuLinks& links) {
  std::string name;
  json_fields::read(json, path, name);
  try {
    links = parse_gpu_links(name);
  } catch (const UsageError& error) {
    json_fields::fail(path, fmt::format("is at fault: {}", error.what()));
  }
}

nlohmann::json to_json(const Instance& instance) {
  json_fields::Writer writer;
  fields(writer, instance);
  return std::move(writer.json());
}

Instance instance_from_json(nlohmann::json json) {
  accept_older_key(json, "usd_per_h", "usd_per_hour");
  accept_older_key(json, "spot_usd_per_h", "spot_usd_per_hour");
  const json_fields::Path path;
  InstanceRowReader reader(json, path);
  Instance instance;
  fields(reader, instance);
  check_instance(instance);
  return instance;
}

std::string to_json_text(std::span<const Instance> instances) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Instance& instance : instances) rows.push_back(to_json(instance));
  return dump_json({{"schema_version", kCatalogueSchemaVersion}, {"instances", std::move(rows)}}, 1) + "\n";
}

Catalogue instances_from_json_text(std::string_view text, std::string_view source) {
  const nlohmann::json document = parse_json(text, source);
  const auto rows = document.is_object() ? document.find("instances") : document.end();
  if (rows == document.end() || !rows->is_array()) {
    throw Error(fmt::format("{} is not a catalogue: it has no list of 'instances'", source));
  }
  if (document.value("schema_version", nlohmann::json()) != kCatalogueSchemaVersion) {
    throw Error(fmt::format("{} was written by another version: schema_version must be {}; import it again", source,
                            kCatalogueSchemaVersion));
  }
  Catalogue catalogue;
  RowFaults faults;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    try {
      catalogue.instances.push_back(instance_from_json((*rows)[i]));
    } catch (const Error& error) {
      faults.add(i + 1, name_of((*rows)[i]), error.what());
    }
  }
  catalogue.warnings = faults.sentences(source, "row");
  return catalogue;
}

}  // namespace stash
