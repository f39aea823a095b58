#include "stash/catalog/topology/ring_packing.h"

#include <algorithm>
#include <limits>

namespace stash {
namespace {

// Half a millisecond. Meshes of eight GPUs need less than a tenth.
constexpr int kMostSteps = 2000;

using Node = std::size_t;
using Path = std::vector<Node>;

// Depth first: a ring hop by hop, the next ring when one closes, back when there is no way on.
class Packer {
 public:
  Packer(const LinkMesh& mesh, RingShape shape)
      : nodes_(mesh.nodes), left_(mesh.links), shape_(shape), bound_(most_possible()) {}

  RingPacking pack() {
    if (nodes_ >= 2 && bound_ > 0) next_ring({});
    return std::move(best_);
  }

 private:
  int& left(Node from, Node to) { return left_[from * nodes_ + to]; }
  int left(Node from, Node to) const { return left_[from * nodes_ + to]; }
  bool is_open() const { return shape_ == RingShape::chain; }

  // Every ring leaves every node once. A chain has nodes - 1 hops.
  int most_possible() const {
    int fewest = std::numeric_limits<int>::max(), all = 0;
    for (Node node = 0; node < nodes_; ++node) {
      int links = 0;
      for (Node other = 0; other < nodes_; ++other) links += left(node, other);
      fewest = std::min(fewest, links);
      all += links;
    }
    if (!is_open()) return fewest;
    return nodes_ < 2 ? 0 : all / 2 / static_cast<int>(nodes_ - 1);
  }

  void take(Node from, Node to, int links) {
    left(from, to) -= links;
    if (is_open()) left(to, from) -= links;
  }

  // True: the search is over.
  bool next_ring(const Path& last) {
    if (found_ > best_.count) {
      best_.count = found_;
      if (found_ == 1) best_.first.assign(last.begin(), last.end());
    }
    if (best_.count == bound_) return true;
    if (shape_ == RingShape::ring && last.size() > 2 && take_reverse(last)) return true;
    for (Node start = 0; start < (is_open() ? nodes_ : 1); ++start) {
      Path path{start};
      if (grow(path)) return true;
    }
    return false;
  }

  // Links are the same in both directions, so the way back usually fits too; tried first, it halves the search.
  bool take_reverse(const Path& last) {
    const std::size_t hops = last.size();
    for (std::size_t i = 0; i < hops; ++i) {
      if (left(last[(i + 1) % hops], last[i]) == 0) return false;
    }
    for (std::size_t i = 0; i < hops; ++i) take(last[(i + 1) % hops], last[i], 1);
    ++found_;
    if (next_ring({})) return true;
    --found_;
    for (std::size_t i = 0; i < hops; ++i) take(last[(i + 1) % hops], last[i], -1);
    return false;
  }

  bool grow(Path& path) {
    if (++steps_ > kMostSteps) return true;
    if (path.size() == nodes_) return is_open() ? complete(path) : hop_to(path, path.front());
    for (const Node node : by_links_left(path)) {
      if (hop_to(path, node)) return true;
    }
    return false;
  }

  bool complete(const Path& path) {
    ++found_;
    const bool over = next_ring(path);
    --found_;
    return over;
  }

  // Nodes that the path has not been to, those with the most links left first.
  std::vector<Node> by_links_left(const Path& path) const {
    std::vector<Node> nodes;
    for (Node node = 0; node < nodes_; ++node) {
      if (std::ranges::find(path, node) == path.end()) nodes.push_back(node);
    }
    std::ranges::stable_sort(nodes, std::ranges::greater{}, [&](Node node) { return left(path.back(), node); });
    return nodes;
  }

  bool hop_to(Path& path, Node node) {
    const Node from = path.back();
    if (left(from, node) > 0) {
      take(from, node, 1);
      if (go_on(path, node)) return true;
      take(from, node, -1);
      return false;
    }
    return shape_ == RingShape::ring_relayed && hop_through_another(path, node);
  }

  bool hop_through_another(Path& path, Node node) {
    const Node from = path.back();
    for (Node relay = 0; relay < nodes_; ++relay) {
      if (left(from, relay) == 0 || left(relay, node) == 0) continue;
      take(from, relay, 1);
      take(relay, node, 1);
      if (go_on(path, node)) return true;
      take(from, relay, -1);
      take(relay, node, -1);
    }
    return false;
  }

  bool go_on(Path& path, Node node) {
    if (path.size() == nodes_) return complete(path);  // back where it began
    path.push_back(node);
    const bool over = grow(path);
    path.pop_back();
    return over;
  }

  Node nodes_;
  std::vector<int> left_;
  RingShape shape_;
  int bound_;
  int found_ = 0;
  int steps_ = 0;
  RingPacking best_;
};

}  // namespace

RingPacking pack_rings(const LinkMesh& mesh, RingShape shape) { return Packer(mesh, shape).pack(); }

}  // namespace stash
