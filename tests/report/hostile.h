#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "stash/core/profile.h"

namespace stash {

inline const std::string kHostileName =
    "<script>alert(1)</script>|`x`\"'\x1b[31m\n# a](http://b.example) @everyone *b* \\ \xff" + std::string(10'000, 'y');

// Wherever a name can stand.
inline void make_hostile(Profile& profile) {
  profile.job.model = kHostileName;
  profile.job.device = fmt::format("emulated:{}", kHostileName);
  profile.job.backend = kHostileName;
  profile.job.data = kHostileName;
  profile.machine.hostname = kHostileName;
  profile.machine.cpu = kHostileName;
  profile.machine.versions["torch"] = kHostileName;
  profile.script = ScriptFacts{.input = kHostileName,
                               .parameters = 1,
                               .optimizers = {kHostileName},
                               .stored_as = {kHostileName},
                               .autocast = {kHostileName},
                               .wrappers = {kHostileName},
                               .peak_memory_bytes = {}};
  profile.warnings = {kHostileName, fmt::format("1. {}", kHostileName)};
}

inline bool escaped_at(const std::string& line, std::size_t place) {
  std::size_t backslashes = 0;
  while (backslashes < place && line[place - backslashes - 1] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

// Outside code, nothing of kHostileName is markup; no line is longer than its cut names make it.
inline void expect_harmless_markdown(const std::string& page) {
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
  std::size_t start = 0;
  while (start < page.size()) {
    const std::size_t end = page.find('\n', start);
    const std::string line = page.substr(start, end - start);
    start = end + 1;
    EXPECT_LT(line.size(), 3000u);
    EXPECT_FALSE(line.starts_with('#') || line.starts_with('<')) << line;
    if (line.starts_with('`')) continue;  // the job, as code
    EXPECT_EQ(line.find("@everyone"), std::string::npos) << line;
    for (const std::string mark : {"<script", "](", "`x", "*b", "://"}) {
      const std::size_t place = line.find(mark);
      EXPECT_TRUE(place == std::string::npos || escaped_at(line, place)) << mark << line;
    }
  }
}

}  // namespace stash
