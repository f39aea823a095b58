#include "stash/import/trace_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "made_trace.h"
#include "support/message_of.h"

namespace stash {

using testing_support::TraceFile;

TEST(TraceFiles, AFolderStandsForTheTracesInItByName) {
  const TraceFile first("", "b.json.gz");
  const std::filesystem::path folder = first.path().parent_path();
  for (const char* name : {"a.pt.trace.json", "notes.txt", "c.json"}) std::ofstream(folder / name);
  std::filesystem::create_directory(folder / "d.json");
  const std::filesystem::path paths[] = {"/no/such.json", folder};
  EXPECT_EQ(find_traces(paths), (std::vector<std::filesystem::path>{"/no/such.json", folder / "a.pt.trace.json",
                                                                    folder / "b.json.gz", folder / "c.json"}));
}

TEST(TraceFiles, AFolderWithoutTracesIsNamed) {
  const TraceFile other("", "notes.txt");
  const std::filesystem::path paths[] = {other.path().parent_path()};
  const std::string message = message_of([&] { find_traces(paths); });
  EXPECT_NE(message.find(paths[0].string() + " holds no .json"), std::string::npos) << message;
}

}  // namespace stash
