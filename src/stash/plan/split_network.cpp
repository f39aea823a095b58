#include "stash/plan/split_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr int kNobody = -1;  // the network's input

std::int64_t channels_of(const Shape& shape, Op op) {
  if (shape.empty()) return 1;
  return op == Op::linear ? shape.back() : shape.front();
}

class Splitter {
 public:
  explicit Splitter(const Graph& graph) : graph_(graph) { network_.name = graph.name; }

  SplitNetwork split() {
    for (std::size_t i = 0; i < graph_.layers.size(); ++i) owner_.push_back(place(static_cast<int>(i)));
    if (network_.layers.empty()) throw Error(fmt::format("{} has no layer that can be split", graph_.name));
    return std::move(network_);
  }

 private:
  const Layer& layer(int index) const { return graph_.layers[static_cast<std::size_t>(index)]; }

  std::vector<int> owners_of(const Layer& of) const {
    std::vector<int> owners;
    for (int input : of.inputs) {
      const int owner = owner_[static_cast<std::size_t>(input)];
      if (owner != kNobody && std::ranges::find(owners, owner) == owners.end()) owners.push_back(owner);
    }
    return owners;
  }

  // The split layer that a layer of the graph belongs to: its own, or the one before it.
  int place(int index) {
    const Layer& of = layer(index);
    if (of.op == Op::conv2d || of.op == Op::linear) return add_weighted(index);
    const std::vector<int> owners = owners_of(of);
    if (owners.size() > 1 && !of.output.empty()) return add_join(index, owners);
    if (owners.empty()) {
      before_.push_back(index);
      return kNobody;
    }
    SplitLayer& owner = network_.layers[static_cast<std::size_t>(owners.front())];
    owner.members.push_back(index);
    owner.kept += static_cast<double>(element_count(of.output));
    owner.weight += static_cast<double>(of.parameter_count());
    return owners.front();
  }

  void connect(int from, int to, const Layer& of) {
    network_.edges.push_back({from, to, static_cast<double>(element_count(of.output))});
  }

  int add(SplitLayer split, int index) {
    const Layer& of = layer(index);
    const int number = static_cast<int>(network_.layers.size());
    split.name = of.name;
    split.output = split.kept = static_cast<double>(element_count(of.output));
    split.members.assign(before_.begin(), before_.end());
    split.members.push_back(index);
    before_.clear();
    network_.layers.push_back(std::move(split));
    return number;
  }

  int add_weighted(int index) {
    const Layer& of = layer(index);
    const Layer& source = layer(of.inputs.front());
    SplitLayer split;
    split.weight = static_cast<double>(of.parameter_count());
    split.input = static_cast<double>(element_count(source.output));
    split.in_channels = channels_of(source.output, of.op);
    split.out_channels = channels_of(of.output, of.op);
    split.is_linear = of.op == Op::linear;
    split.batch_only = of.groups > 1;
    const int number = add(std::move(split), index);
    for (int owner : owners_of(of)) connect(owner, number, source);
    return number;
  }

  int add_join(int index, const std::vector<int>& owners) {
    const Layer& of = layer(index);
    SplitLayer split{.weighted = false};
    split.input = static_cast<double>(element_count(of.output));
    split.in_channels = split.out_channels = channels_of(of.output, of.op);
    const int number = add(std::move(split), index);
    for (int owner : owners) connect(owner, number, read_by(of, owner));
    return number;
  }

  // What `of` reads from this owner.
  const Layer& read_by(const Layer& of, int owner) const {
    const auto found =
        std::ranges::find_if(of.inputs, [&](int input) { return owner_[static_cast<std::size_t>(input)] == owner; });
    return layer(*found);
  }

  const Graph& graph_;
  SplitNetwork network_;
  std::vector<int> owner_;   // by layer of the graph
  std::vector<int> before_;  // layers before the first with weights
};

}  // namespace

SplitNetwork split_network(const Graph& graph) { return Splitter(graph).split(); }

double read_output(const SplitNetwork& network, int layer) {
  const auto edge = std::ranges::find(network.edges, layer, &SplitEdge::from);
  return edge == network.edges.end() ? network.layers[static_cast<std::size_t>(layer)].output : edge->elements;
}

}  // namespace stash
