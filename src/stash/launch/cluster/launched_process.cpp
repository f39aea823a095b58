#include "stash/launch/cluster/launched_process.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>

#include "stash/core/error.h"
#include "stash/launch/cluster/slurm_lists.h"

namespace stash {
namespace {

constexpr int kDefaultPort = 29500;  // torch's own
constexpr int kPortsOfJobs = 1000;   // above it, so that two jobs on one host seldom meet

using Names = std::array<const char*, 2>;  // the second where the first is not set

struct Launcher {
  const char* name;
  std::array<const char*, 3> marks;  // all of them are set by it, and not by others
  Names rank;
  Names size;
  Names local_rank;
  Names local_size;
  bool starts_nodes = false;
};

// The innermost first: torchrun may run under Slurm, mpirun too.
constexpr std::array kLaunchers{
    Launcher{"torchrun", {"TORCHELASTIC_RUN_ID"}, {"RANK"}, {"WORLD_SIZE"}, {"LOCAL_RANK"}, {"LOCAL_WORLD_SIZE"}},
    Launcher{"the environment",
             {"RANK", "WORLD_SIZE", "MASTER_ADDR"},
             {"RANK"},
             {"WORLD_SIZE"},
             {"LOCAL_RANK"},
             {"LOCAL_WORLD_SIZE"}},
    Launcher{"Open MPI",
             {"OMPI_COMM_WORLD_RANK"},
             {"OMPI_COMM_WORLD_RANK"},
             {"OMPI_COMM_WORLD_SIZE"},
             {"OMPI_COMM_WORLD_LOCAL_RANK"},
             {"OMPI_COMM_WORLD_LOCAL_SIZE"}},
    // A batch script has SLURM_PROCID as well, and starts the steps.
    Launcher{"Slurm",
             {"SLURM_PROCID", "SLURM_STEP_ID"},
             {"SLURM_PROCID"},
             {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
             {"SLURM_LOCALID"},
             {}},
    Launcher{"PMIx",
             {"PMIX_RANK", "PMIX_NAMESPACE"},
             {"PMIX_RANK"},
             {"PMIX_SIZE", "PMI_SIZE"},
             {"PMIX_LOCAL_RANK"},
             {"PMIX_LOCAL_SIZE"}},
    Launcher{"PMI",
             {"PMI_RANK"},
             {"PMI_RANK"},
             {"PMI_SIZE"},
             {"MPI_LOCALRANKID", "PMI_LOCAL_RANK"},
             {"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"}},
    Launcher{"SkyPilot", {"SKYPILOT_NODE_RANK"}, {"SKYPILOT_NODE_RANK"}, {"SKYPILOT_NUM_NODES"}, {}, {}, true},
    Launcher{"Kubernetes", {"JOB_COMPLETION_INDEX"}, {"JOB_COMPLETION_INDEX"}, {"STASH_NODES"}, {}, {}, true},
};

// Reads variables and remembers which ones.
class Reader {
 public:
  Reader(const Variables& variables, LaunchedProcess& launched) : variables_(variables), launched_(launched) {}

  std::string text(const char* name) {
    const auto value = variables_(name);
    if (!value || value->empty()) return "";
    launched_.read.emplace_back(name, *value);
    return *value;
  }

  std::optional<int> number(const Names& names) {
    for (const char* name : names) {
      const std::string value = name == nullptr ? "" : text(name);
      if (value.empty()) continue;
      int parsed = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
      if (error != std::errc() || end != value.data() + value.size() || parsed < 0) {
        throw UsageError(fmt::format("{}={} of {} is no number", name, value, launched_.launcher));
      }
      return parsed;
    }
    return std::nullopt;
  }

 private:
  const Variables& variables_;
  LaunchedProcess& launched_;
};

bool is_marked(const Launcher& launcher, const Variables& variables) {
  for (const char* mark : launcher.marks) {
    if (mark != nullptr && !variables(mark)) return false;
  }
  return true;
}

// "1432354816.0;tcp://10.0.0.1,172.17.0.1:54321", perhaps in quotes: where mpirun runs, which starts ranks there first.
std::string address_of_mpirun(std::string_view uri) {
  constexpr std::string_view kScheme = "tcp://";
  const std::size_t scheme = uri.find(kScheme);
  if (scheme == std::string_view::npos) return "";
  uri.remove_prefix(scheme + kScheme.size());
  return std::string(uri.substr(0, uri.find_first_of(",:\"")));
}

std::string find_address(const LaunchedProcess& launched, Reader& reader) {
  const std::string given = reader.text("MASTER_ADDR");
  if (!given.empty()) return given;
  if (launched.local_size == launched.size && !launched.starts_nodes) return "127.0.0.1";
  if (launched.launcher == "Open MPI") return address_of_mpirun(reader.text("OMPI_MCA_orte_hnp_uri"));
  if (launched.launcher == "Slurm") {
    const std::string step = reader.text("SLURM_STEP_NODELIST");
    return first_slurm_host(step.empty() ? reader.text("SLURM_NODELIST") : step);
  }
  if (launched.launcher == "SkyPilot") {
    const std::string addresses = reader.text("SKYPILOT_NODE_IPS");
    return addresses.substr(0, addresses.find_first_of(" \n"));
  }
  return "";
}

int find_port(const LaunchedProcess& launched, Reader& reader) {
  if (const auto given = reader.number({"MASTER_PORT"})) {
    if (*given < 1 || *given > 65535) throw UsageError(fmt::format("MASTER_PORT={} is no port", *given));
    return *given;
  }
  const int job = launched.launcher == "Slurm" ? reader.number({"SLURM_JOB_ID"}).value_or(0) : 0;
  return kDefaultPort + job % kPortsOfJobs;
}

std::optional<int> slurm_local_size(Reader& reader) {
  const std::string step = reader.text("SLURM_STEP_TASKS_PER_NODE");
  const std::vector<int> tasks = slurm_tasks_per_node(step.empty() ? reader.text("SLURM_TASKS_PER_NODE") : step);
  const std::optional<int> node = reader.number({"SLURM_NODEID"});
  if (!node || static_cast<std::size_t>(*node) >= tasks.size()) return std::nullopt;
  return tasks[static_cast<std::size_t>(*node)];
}

void check(const LaunchedProcess& launched) {
  if (launched.rank >= launched.size) {
    throw UsageError(fmt::format("{} says that this is rank {} of {}, which cannot be", launched.launcher,
                                 launched.rank, launched.size));
  }
  if (launched.local_rank && launched.local_size && *launched.local_rank >= *launched.local_size) {
    throw UsageError(fmt::format("{} says that this is rank {} of {} on its node, which cannot be", launched.launcher,
                                 *launched.local_rank, *launched.local_size));
  }
}

LaunchedProcess read_launched(const Launcher& launcher, const Variables& variables) {
  LaunchedProcess launched;
  launched.launcher = launcher.name;
  launched.starts_nodes = launcher.starts_nodes;
  Reader reader(variables, launched);
  launched.rank = reader.number(launcher.rank).value_or(0);
  const std::optional<int> size = reader.number(launcher.size);
  if (!size || *size < 1) {
    throw UsageError(fmt::format("{} gave this process rank {} but not of how many: set {}", launcher.name,
                                 launched.rank, launcher.size[0]));
  }
  launched.size = *size;
  launched.local_rank = reader.number(launcher.local_rank);
  launched.local_size =
      launcher.name == std::string_view("Slurm") ? slurm_local_size(reader) : reader.number(launcher.local_size);
  check(launched);
  launched.meeting = {.address = find_address(launched, reader),
                      .port = find_port(launched, reader),
                      .is_served = reader.text("TORCHELASTIC_USE_AGENT_STORE") == "True",
                      .attempt = reader.text("TORCHELASTIC_RESTART_COUNT")};
  return launched;
}

}  // namespace

std::optional<std::string> environment_variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<LaunchedProcess> find_launched_process(const Variables& variables) {
  for (const Launcher& launcher : kLaunchers) {
    if (!is_marked(launcher, variables)) continue;
    LaunchedProcess launched = read_launched(launcher, variables);
    // A shell that a launcher started alone (srun --pty bash) is as good as no launcher.
    if (launched.size > 1 || launched.launcher == "torchrun") return launched;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace stash
