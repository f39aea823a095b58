#include "stash/serve/worker/request_arena.h"

#include <gtest/gtest.h>

#include <cstring>

namespace stash {

TEST(RequestArena, ABlockThatWasGivenBackIsTakenAgain) {
  RequestArena arena(1 << 20);
  const BodyMemory::Block first = arena.take(5000);
  EXPECT_GE(first.bytes, 5000U);
  EXPECT_TRUE(arena.holds({first.at, first.bytes}));
  EXPECT_EQ(arena.offset_of({first.at, first.bytes}), 0U);
  const BodyMemory::Block second = arena.take(5000);
  EXPECT_NE(first.at, second.at);
  std::memset(first.at, 1, first.bytes);
  std::memset(second.at, 2, second.bytes);
  EXPECT_EQ(first.at[first.bytes - 1], 1);
  arena.give_back(first);
  EXPECT_EQ(arena.take(6000).at, first.at);
  EXPECT_FALSE(arena.holds({reinterpret_cast<const char*>(&arena), 1}));
}

TEST(RequestArena, WhatDoesNotFitIsElsewhere) {
  RequestArena arena(1 << 12);
  const BodyMemory::Block large = arena.take(std::size_t{1} << 20);
  EXPECT_FALSE(arena.holds({large.at, large.bytes}));
  large.at[(std::size_t{1} << 20) - 1] = 1;
  arena.give_back(large);
  const BodyMemory::Block own = arena.take(100);
  EXPECT_TRUE(arena.holds({own.at, own.bytes}));
}

}  // namespace stash
