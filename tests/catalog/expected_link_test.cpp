#include "stash/catalog/expected_link.h"

#include <gtest/gtest.h>

#include "sample_instance.h"

namespace stash {
namespace {

using testing_support::sample_instance;

// k80.8, and k80.16 with faster links between twice the GPUs.
std::vector<Instance> two_instances() {
  std::vector<Instance> instances{sample_instance(), sample_instance()};
  instances[1].name = "k80.16";
  instances[1].gpus = 16;
  instances[1].link_bytes_per_s = 25e9;
  return instances;
}

TEST(ExpectedLink, IsThatOfTheInstanceByName) {
  const LinkOwner owner{.instance = "K80.8", .gpu = "V100"};
  EXPECT_EQ(expected_link(LinkKind::gpus, owner, two_instances())->bytes_per_s, 12.5e9);
  EXPECT_EQ(expected_link(LinkKind::network, owner, two_instances())->bytes_per_s, 1.25e9);
}

TEST(ExpectedLink, IsThatOfAMachineWithAsManyOfTheSameGpusAndCores) {
  Machine machine;
  machine.cores = 32;
  machine.gpus.assign(8, {"Tesla K80", {}});
  LinkOwner owner = link_owner(machine);
  owner.any_size = true;
  EXPECT_EQ(expected_link(LinkKind::gpus, owner, two_instances())->instance, "k80.8");
  owner.cores = 31;
  EXPECT_EQ(expected_link(LinkKind::gpus, owner, two_instances())->instance, "k80.16");
  EXPECT_FALSE(expected_link(LinkKind::network, owner, two_instances()));
  owner.any_size = false;
  EXPECT_FALSE(expected_link(LinkKind::gpus, owner, two_instances()));
}

TEST(ExpectedLink, IsUnknownWhereTheInstanceDoesNotTell) {
  std::vector<Instance> instances = two_instances();
  instances[0].link_bytes_per_s.reset();
  EXPECT_FALSE(expected_link(LinkKind::gpus, {.instance = "k80.8", .gpu = "K80", .any_size = true}, instances));
}

TEST(ExpectedLink, OfAMachineWithoutGpusIsUnknown) {
  LinkOwner owner = link_owner(Machine{});
  owner.any_size = true;
  std::vector<Instance> instances = two_instances();
  instances[0].gpu.clear();
  EXPECT_FALSE(expected_link(LinkKind::gpus, owner, instances));
}

}  // namespace
}  // namespace stash
