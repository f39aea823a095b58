#pragma once

// What every test reads, precompiled once for all of them. A test still includes what it uses.
#include <gtest/gtest.h>

#include "../src/precompiled.h"
