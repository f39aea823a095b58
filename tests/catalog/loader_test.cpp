#include "stash/catalog/loader.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"

namespace stash {

TEST(Loader, OwnLoaderIsTheMeasureAndOthersNeedMore) {
  EXPECT_EQ(find_loader(kOwnLoader).cpu_ratio, 1);
  for (const Loader& loader : loader_table()) {
    EXPECT_FALSE(loader.source.empty()) << loader.name;
    EXPECT_GE(loader.cpu_ratio, 1) << loader.name;
  }
  EXPECT_NEAR(find_loader("torchvision").cpu_ratio, 3.28, 0.12);
}

TEST(Loader, ANameThatIsNotKnownIsRefusedWithTheNearest) {
  EXPECT_THROW(find_loader("torchvison"), UsageError);
  EXPECT_THROW(find_loader(""), UsageError);
}

TEST(Loader, RowsAtFaultNameTheirLine) {
  const std::string header = "name,cpu_ratio,cpu_low_ratio,cpu_high_ratio,source,date\n";
  EXPECT_EQ(parse_loaders(header + "a,2,1.5,2.5,s,2026\n", "t").front().cpu_high_ratio, 2.5);
  for (const char* row :
       {"a,0,0,0,s,2026\n", "a,x,1,1,s,2026\n", "a,2,2.1,3,s,2026\n", "a,1e9,1,1e9,s,2026\n", "a,nan,1,1,s,2026\n"}) {
    EXPECT_THROW(parse_loaders(header + row, "t"), Error) << row;
  }
  EXPECT_THROW(parse_loaders("name\n", "t"), Error);
}

}  // namespace stash
