#include "stash/launch/cluster/launched_process.h"

#include <gtest/gtest.h>

#include <map>

#include "stash/core/error.h"
#include "stash/launch/cluster/slurm_lists.h"

namespace stash {
namespace {

std::optional<LaunchedProcess> place(const std::map<std::string, std::string, std::less<>>& variables) {
  return find_launched_process([&](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(LaunchedProcess, NothingWithoutALauncher) {
  EXPECT_FALSE(place({}));
  EXPECT_FALSE(place({{"RANK", "1"}, {"WORLD_SIZE", "2"}})) << "without an address nobody can meet";
}

TEST(LaunchedProcess, Torchrun) {
  const auto found = place({{"TORCHELASTIC_RUN_ID", "none"},
                            {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                            {"RANK", "5"},
                            {"WORLD_SIZE", "8"},
                            {"LOCAL_RANK", "1"},
                            {"LOCAL_WORLD_SIZE", "4"},
                            {"MASTER_ADDR", "10.0.0.1"},
                            {"MASTER_PORT", "41231"},
                            {"SLURM_PROCID", "1"},
                            {"SLURM_STEP_ID", "0"},
                            {"SLURM_NTASKS", "2"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->launcher, "torchrun");
  EXPECT_EQ(found->rank, 5);
  EXPECT_EQ(found->size, 8);
  EXPECT_EQ(found->local_rank, 1);
  EXPECT_EQ(found->local_size, 4);
  EXPECT_EQ(found->meeting.address, "10.0.0.1");
  EXPECT_EQ(found->meeting.port, 41231);
  EXPECT_TRUE(found->meeting.is_served);
}

TEST(LaunchedProcess, OneProcessOfTorchrunIsOneRank) {
  const auto found = place({{"TORCHELASTIC_RUN_ID", "x"}, {"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "h"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->size, 1);
}

TEST(LaunchedProcess, OpenMpi) {
  const auto found = place({{"OMPI_COMM_WORLD_RANK", "3"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                            {"OMPI_MCA_orte_hnp_uri", "\"1432354816.0;tcp://10.0.0.1,172.17.0.1:54321\""}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->launcher, "Open MPI");
  EXPECT_EQ(found->rank, 3);
  EXPECT_EQ(found->meeting.address, "10.0.0.1");
  EXPECT_EQ(found->meeting.port, 29500);
  EXPECT_FALSE(found->meeting.is_served);
}

TEST(LaunchedProcess, RanksOfOneHostMeetOnLoopback) {
  const auto found = place({{"OMPI_COMM_WORLD_RANK", "1"},
                            {"OMPI_COMM_WORLD_SIZE", "2"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->meeting.address, "127.0.0.1");
}

TEST(LaunchedProcess, Slurm) {
  std::map<std::string, std::string, std::less<>> variables{{"SLURM_PROCID", "2"},
                                                            {"SLURM_STEP_ID", "0"},
                                                            {"SLURM_NTASKS", "3"},
                                                            {"SLURM_LOCALID", "0"},
                                                            {"SLURM_NODEID", "1"},
                                                            {"SLURM_TASKS_PER_NODE", "2,1"},
                                                            {"SLURM_NODELIST", "gpu[03-04]"},
                                                            {"SLURM_JOB_ID", "2017"}};
  const auto found = place(variables);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->launcher, "Slurm");
  EXPECT_EQ(found->rank, 2);
  EXPECT_EQ(found->size, 3);
  EXPECT_EQ(found->local_size, 1);
  EXPECT_EQ(found->meeting.address, "gpu03");
  EXPECT_EQ(found->meeting.port, 29517);

  variables.erase("SLURM_STEP_ID");
  EXPECT_FALSE(place(variables)) << "a batch script is not a task";
}

TEST(LaunchedProcess, AnInteractiveShellOfSlurmIsNoLauncher) {
  EXPECT_FALSE(place({{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "0"}, {"SLURM_NTASKS", "1"}}));
}

TEST(LaunchedProcess, PmiAndPmix) {
  const auto pmi = place({{"PMI_RANK", "1"},
                          {"PMI_SIZE", "4"},
                          {"MPI_LOCALRANKID", "1"},
                          {"MPI_LOCALNRANKS", "2"},
                          {"MASTER_ADDR", "h1"}});
  ASSERT_TRUE(pmi);
  EXPECT_EQ(pmi->launcher, "PMI");
  EXPECT_EQ(pmi->local_size, 2);
  EXPECT_EQ(pmi->meeting.address, "h1");
  const auto pmix = place({{"PMIX_RANK", "1"}, {"PMIX_NAMESPACE", "n"}, {"PMIX_SIZE", "2"}, {"MASTER_ADDR", "h1"}});
  ASSERT_TRUE(pmix);
  EXPECT_EQ(pmix->launcher, "PMIx");
}

TEST(LaunchedProcess, LaunchersOfNodes) {
  const auto sky =
      place({{"SKYPILOT_NODE_RANK", "1"}, {"SKYPILOT_NUM_NODES", "2"}, {"SKYPILOT_NODE_IPS", "10.1.0.4\n10.1.0.5"}});
  ASSERT_TRUE(sky);
  EXPECT_TRUE(sky->starts_nodes);
  EXPECT_EQ(sky->meeting.address, "10.1.0.4");
  const auto pod = place({{"JOB_COMPLETION_INDEX", "0"}, {"STASH_NODES", "3"}, {"MASTER_ADDR", "train-0.train"}});
  ASSERT_TRUE(pod);
  EXPECT_TRUE(pod->starts_nodes);
  EXPECT_EQ(pod->size, 3);
}

TEST(LaunchedProcess, ContradictionsAreNamed) {
  EXPECT_THROW(place({{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}}), UsageError);
  EXPECT_THROW(place({{"PMI_RANK", "0"}}), UsageError);
  EXPECT_THROW(place({{"PMI_RANK", "x"}, {"PMI_SIZE", "4"}}), UsageError);
  EXPECT_THROW(place({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"MASTER_PORT", "70000"}}), UsageError);
}

TEST(SlurmLists, FirstHost) {
  EXPECT_EQ(first_slurm_host("n1"), "n1");
  EXPECT_EQ(first_slurm_host("n1,n2"), "n1");
  EXPECT_EQ(first_slurm_host("gpu[03-05,9],login"), "gpu03");
  EXPECT_EQ(first_slurm_host("r[1-2]n[07,09]x"), "r1n07x");
  EXPECT_EQ(first_slurm_host("r[1-2"), "");
  EXPECT_EQ(first_slurm_host(""), "");
}

TEST(SlurmLists, TasksPerNode) {
  EXPECT_EQ(slurm_tasks_per_node("2(x3),1"), (std::vector<int>{2, 2, 2, 1}));
  EXPECT_EQ(slurm_tasks_per_node("4"), (std::vector<int>{4}));
  EXPECT_TRUE(slurm_tasks_per_node("2(x").empty());
  EXPECT_TRUE(slurm_tasks_per_node("2(x999999999),1").empty());
  EXPECT_TRUE(slurm_tasks_per_node("").empty());
}

}  // namespace
}  // namespace stash
