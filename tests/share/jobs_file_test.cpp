#include "stash/share/jobs_file.h"

#include <gtest/gtest.h>

#include <random>

#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

constexpr const char* kGood = R"(cores = 14
[[job]]
name = "images"
command = ["python", "train.py", "--epochs", "3"]
min_workers = 2
max_workers = 12

[[job]]
name = "words"
curve = "bert"
arrives = "10m"
samples = 3600
)";

std::string fault_of(const std::string& text) {
  return message_of<UsageError>([&] { parse_jobs(text, "jobs.toml"); });
}

void expect_fault(const std::string& text, const std::vector<std::string>& said) {
  const std::string message = fault_of(text);
  for (const std::string& part : said) EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(JobsFile, IsReadWithItsDefaults) {
  const JobsFile file = parse_jobs(kGood, "jobs.toml");
  EXPECT_EQ(file.cores, 14);
  ASSERT_EQ(file.jobs.size(), 2U);
  EXPECT_EQ(file.jobs[0].command.size(), 4U);
  EXPECT_EQ(file.jobs[0].min_workers, 2);
  EXPECT_EQ(file.jobs[0].max_workers, 12);
  EXPECT_EQ(file.jobs[1].min_workers, 1);
  EXPECT_EQ(file.jobs[1].max_workers, std::nullopt);
  EXPECT_DOUBLE_EQ(file.jobs[1].arrives_s, 600);
  EXPECT_EQ(file.jobs[1].line, 8);
}

TEST(JobsFile, AFaultIsNamedWithItsLineAndKey) {
  expect_fault("[[job]]\nname = \"a\"\nmin_worker = 2\n", {"jobs.toml, line 3", "'min_worker'", "'min_workers'"});
  expect_fault("[[job]]\nname = \"a\"\nmin_workers = 0\n", {"line 3", "'min_workers'", "1 to"});
  expect_fault("[[job]]\nname = \"a\"\nmin_workers = 3\nmax_workers = 2\n", {"line 4", "below min_workers"});
  expect_fault("[[job]]\nname = \"a\"\n\ncommand = \"python train.py\"\n", {"line 4", "'command'", "list of texts"});
  expect_fault("[[job]]\nname = \"a\"\ncommand = []\n", {"line 3", "'command'"});
  expect_fault("[[job]]\nname = \"a\"\ncommand = [\"a\", 1]\n", {"line 3", "'command'"});
  expect_fault("[[job]]\nname = \"a\"\narrives = \"soon\"\n", {"line 3", "'arrives'"});
  expect_fault("[[job]]\nname = \"a\"\nsamples = inf\n", {"line 3", "'samples'"});
  expect_fault("[[job]]\nname = \"a b\"\n", {"line 2", "'name'"});
  expect_fault("[[job]]\ncurve = \"bert\"\n", {"line 1", "'name'", "missing"});
  expect_fault("[[job]]\nname = \"a\"\n[[job]]\nname = \"a\"\n", {"line 3", "as of a job before"});
  expect_fault("cores = 0\n[[job]]\nname = \"a\"\n", {"line 1", "'cores'"});
  expect_fault("[[job]]\nname = \"a\nb\"\n", {"line 2"});
  expect_fault("cores = 3\n", {"[[job]]"});
  expect_fault("job = 3\n", {"[[job]]"});
  expect_fault("", {"[[job]]"});
}

TEST(JobsFile, DamagedFilesAreRefusedAndNothingElseHappens) {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string text = kGood;
    for (int change = 0; change < 1 + round % 4; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 9);
          break;
        default:
          text.insert(at, std::string(1 + random() % 3, "[]{}\"=\n#.,0"[random() % 11]));
      }
    }
    try {
      parse_jobs(text, "jobs.toml");
    } catch (const UsageError&) {
    }
  }
}

TEST(JobsFile, DeepNestingIsRefused) {
  EXPECT_THROW(parse_jobs("job = " + std::string(100'000, '['), "jobs.toml"), UsageError);
}

}  // namespace
}  // namespace stash
