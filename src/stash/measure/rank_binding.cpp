#include "stash/measure/rank_binding.h"

#include <pybind11/stl.h>

#include <cstdlib>

#include "stash/core/version.h"
#include "stash/launch/protocol/shared_names.h"
#include "stash/measure/python_objects.h"
#include "stash/measure/rank.h"

namespace py = pybind11;

namespace stash {
namespace {

SharedState open_shared(int ranks) {
  const char* fd = std::getenv(kSharedFdVariable);
  return SharedState::open(fd == nullptr ? -1 : std::atoi(fd), ranks);
}

using RanksOfNodes = std::vector<std::vector<int>>;

RanksOfNodes ranks_of_nodes(const Team& team) {
  RanksOfNodes nodes;
  for (int node = 0; node < team.nodes(); ++node) nodes.push_back(team.ranks_of_node(node));
  return nodes;
}

// A rank of a built-in job from its start on: it meets the others and carries out orders with them.
class BuiltinRank {
 public:
  BuiltinRank(std::string order_file, int crew_index)
      : order_file_(std::move(order_file)),
        index_(crew_index),
        order_(read_order(order_file_)),
        shared_(open_shared(order_.crew_size)),
        state_(shared_.rank(crew_index)) {}

  const Order& order() const { return order_; }
  int number() const { return order_.first_rank + index_; }
  int local_rank() const { return order_.first_local_rank + index_; }
  void beat() { state_.beat(Phase::waiting); }

  RanksOfNodes meet(const py::object& store, const std::string& torch_version) {
    team_.emplace(torch_object<c10d::Store>(store), number(), order_.team_size);
    const NodeIdentity& node = order_.nodes.at(static_cast<std::size_t>(index_));
    const Member own{.host = node.host,
                     .node = node.key,
                     .stash = std::string(kVersion),
                     .torch = torch_version,
                     .job = order_.job_key,
                     .reports_to = ""};
    const py::gil_scoped_release no_interpreter;
    team_->meet(own, order_.timeout_s, state_);
    return ranks_of_nodes(*team_);
  }

  int carry_out(const py::object& group, const py::object& control, const py::object& node,
                std::map<std::string, std::string> versions, const Gpus& gpus, const std::string& device_id) {
    const RankSetup setup{.order = order_,
                          .crew_index = index_,
                          .group = group_of(group),
                          .control = group_of(control),
                          .node = node.is_none() ? nullptr : group_of(node),
                          .team = team_.value(),
                          .shared = shared_,
                          .machine = machine_event(std::move(versions), gpus),
                          .device_id = device_id};
    const py::gil_scoped_release no_interpreter;
    return run_rank(setup);
  }

  void wait_for_order() {
    const std::uint32_t done = shared_.order();
    state_.finished.store(done);
    shared_.wait_for_next(done);
    order_ = read_order(order_file_);
  }

 private:
  std::string order_file_;
  int index_;
  Order order_;
  SharedState shared_;
  RankState& state_;
  std::optional<Team> team_;
};

void bind_order(py::module_& module) {
  py::class_<Job>(module, "Job").def_readonly("backend", &Job::backend);
  py::class_<MeetingPoint>(module, "MeetingPoint")
      .def_readonly("address", &MeetingPoint::address)
      .def_readonly("port", &MeetingPoint::port)
      .def_readonly("is_served", &MeetingPoint::is_served)
      .def_readonly("attempt", &MeetingPoint::attempt);
  py::class_<Order>(module, "Order", "What the ranks of a crew are told.")
      .def_readonly("job", &Order::job)
      .def_readonly("on_gpus", &Order::on_gpus)
      .def_readonly("team_size", &Order::team_size)
      .def_readonly("store_file", &Order::store_file)
      .def_readonly("meeting", &Order::meeting)
      .def_readonly("timeout_s", &Order::timeout_s)
      .def_readonly("stay", &Order::stay);
}

Member make_member(std::optional<std::string> host, std::optional<std::string> node, std::string stash,
                   std::string torch, std::string job, std::string reports_to, std::vector<ShownGroup> groups) {
  const NodeIdentity identity = node_identity("");
  return {.host = host.value_or(identity.host),
          .node = node.value_or(identity.key),
          .stash = std::move(stash),
          .torch = std::move(torch),
          .job = std::move(job),
          .reports_to = std::move(reports_to),
          .groups = std::move(groups)};
}

void meet(Team& team, const Member& own, double deadline_s) {
  RankState state;  // nobody looks at it
  team.meet(own, deadline_s, state);
}

void bind_team(py::module_& module) {
  py::class_<ShownGroup>(module, "ShownGroup", "A process group as one of its ranks sees it; empty: unknown.")
      .def(py::init([](std::string id, std::string mesh, std::string description, std::string variable, bool is_default,
                       std::vector<std::string> used_by, std::vector<int> ranks) {
             return ShownGroup{.id = std::move(id),
                               .mesh = std::move(mesh),
                               .description = std::move(description),
                               .variable = std::move(variable),
                               .is_default = is_default,
                               .used_by = std::move(used_by),
                               .ranks = std::move(ranks)};
           }),
           py::kw_only(), py::arg("id"), py::arg("mesh") = "", py::arg("description") = "", py::arg("variable") = "",
           py::arg("is_default") = false, py::arg("used_by") = std::vector<std::string>(), py::arg("ranks"));
  py::class_<Member>(module, "Member", "Who a rank is; this node where none is named.")
      .def(py::init(&make_member), py::kw_only(), py::arg("host") = py::none(), py::arg("node") = py::none(),
           py::arg("stash") = std::string(kVersion), py::arg("torch"), py::arg("job") = "", py::arg("reports_to") = "",
           py::arg("groups") = std::vector<ShownGroup>());
  py::class_<Team>(module, "Team", "All ranks of a job.")
      .def(py::init([](const py::object& store, int rank, int size) {
             return Team(store.is_none() ? nullptr : torch_object<c10d::Store>(store), rank, size);
           }),
           py::arg("store"), py::arg("rank"), py::arg("size"))
      .def("meet", &meet, py::arg("own"), py::arg("deadline_s"), py::call_guard<py::gil_scoped_release>(),
           "Waits for all ranks and learns who they are.")
      .def("nodes", &ranks_of_nodes, "The ranks of each node.")
      .def("ranks_here", &Team::ranks_here, "The ranks of this node.");
}

}  // namespace

void bind_rank(py::module_& module) {
  bind_order(module);
  bind_team(module);
  py::class_<BuiltinRank>(module, "BuiltinRank", "A rank of a built-in job.")
      .def(py::init<std::string, int>(), py::arg("order_file"), py::arg("crew_index"))
      .def_property_readonly("order", &BuiltinRank::order)
      .def_property_readonly("number", &BuiltinRank::number)
      .def_property_readonly("local_rank", &BuiltinRank::local_rank)
      .def("beat", &BuiltinRank::beat, "Shows the supervisor that it is alive.")
      .def("meet", &BuiltinRank::meet, py::arg("store"), py::arg("torch"),
           "Waits for all ranks; the ranks of each node.")
      .def("carry_out", &BuiltinRank::carry_out, py::arg("group"), py::arg("control"), py::arg("node"),
           py::arg("versions"), py::arg("gpus"), py::arg("device_id"), "The exit code.")
      .def("wait_for_order", &BuiltinRank::wait_for_order, py::call_guard<py::gil_scoped_release>(),
           "Tells the supervisor that this rank is free, and returns when there is a new order.");
}

}  // namespace stash
