#include "stash/catalog/user_catalogue.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sample_instance.h"
#include "stash/catalog/instances.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

namespace fs = std::filesystem;
using testing_support::sample_instance;

class UserCatalogue : public testing::Test {
 protected:
  static Instance priced(const std::string& name, double usd_per_h, const std::string& date) {
    Instance instance;
    instance.cloud = "aws";
    instance.name = name;
    instance.gpu = "V100";
    instance.gpus = 4;
    instance.usd_per_h = usd_per_h;
    instance.price_date = instance.date = date;
    return instance;
  }

  const TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

TEST_F(UserCatalogue, WithoutFilesItIsTheBuiltInOne) {
  const Catalogue catalogue = read_catalogue(folder_ / "missing");
  EXPECT_EQ(catalogue.instances.size(), instance_table().size());
  EXPECT_TRUE(catalogue.warnings.empty());
}

TEST_F(UserCatalogue, WhatIsWrittenIsReadBack) {
  const fs::path path = write_user_instances(folder_ / "new" / "folder", "own", std::vector{sample_instance()});
  EXPECT_EQ(path.filename(), "own.json");
  const Catalogue catalogue = read_catalogue(folder_ / "new" / "folder");
  EXPECT_EQ(find_instance(catalogue.instances, "K80.8"), sample_instance());
}

TEST_F(UserCatalogue, TheUsersPriceWinsAndTheBuiltInNetworkStays) {
  write_user_instances(folder_, "aws", std::vector{priced("P3.8xlarge", 9.5, "2021-01-01")});
  const Catalogue catalogue = read_catalogue(folder_);
  EXPECT_EQ(catalogue.instances.size(), instance_table().size());
  const Instance& merged = find_instance(catalogue.instances, "p3.8xlarge");
  EXPECT_EQ(merged.usd_per_h, 9.5);
  EXPECT_EQ(merged.price_date, "2021-01-01");
  EXPECT_EQ(merged.network_bytes_per_s, 1.25e9);
}

TEST_F(UserCatalogue, OfTheUsersFilesTheNewerOneWins) {
  write_user_instances(folder_, "z", std::vector{priced("p3.8xlarge", 1, "2024-01-01")});
  write_user_instances(folder_, "a", std::vector{priced("p3.8xlarge", 2, "2025-01-01")});
  EXPECT_EQ(find_instance(read_catalogue(folder_).instances, "p3.8xlarge").usd_per_h, 2);
}

TEST_F(UserCatalogue, TablesAreReadToo) {
  temporary_.write("mine.csv", "name,cloud,gpu,gpus,usd_per_h\nbox,own,T4,2,0.5\nbroken,own,T4,2,-1\n");
  const Catalogue catalogue = read_catalogue(folder_);
  EXPECT_EQ(find_instance(catalogue.instances, "box").gpus, 2);
  ASSERT_EQ(catalogue.warnings.size(), 1u);
  EXPECT_NE(catalogue.warnings[0].find("mine.csv line 3: 'broken' is left out"), std::string::npos);
}

TEST_F(UserCatalogue, AFileThatCannotBeReadIsNamedAndTheOthersAreUsed) {
  temporary_.write("bad.json", "{");
  temporary_.write("note.txt", "not a catalogue");
  fs::create_directory(folder_ / "folder.json");
  write_user_instances(folder_, "good", std::vector{sample_instance()});
  const Catalogue catalogue = read_catalogue(folder_);
  EXPECT_NE(find_instance_or_null(catalogue.instances, "k80.8"), nullptr);
  ASSERT_EQ(catalogue.warnings.size(), 2u);
  EXPECT_NE(catalogue.warnings[0].find("bad.json"), std::string::npos);
  EXPECT_NE(catalogue.warnings[1].find("folder.json"), std::string::npos);
}

TEST_F(UserCatalogue, AFolderThatCannotBeMadeSaysWhatToSet) {
  temporary_.write("file", "");
  const auto to_file = [&] { write_user_instances(folder_ / "file" / "below", "x", std::vector{sample_instance()}); };
  EXPECT_NE(message_of(to_file).find("XDG_DATA_HOME"), std::string::npos);
  const auto nowhere = [] { write_user_instances("", "x", std::vector{sample_instance()}); };
  EXPECT_NE(message_of(nowhere).find("XDG_DATA_HOME"), std::string::npos);
}

}  // namespace
}  // namespace stash
