#include "stash/launch/extension/extension.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/extension/extension_build.h"
#include "stash/launch/extension/interpreter.h"
#include "stash/launch/process/subprocess.h"
#include "support/file_content.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

void write(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

// Variables that are unset meanwhile, and have their values again afterwards.
class Environment {
 public:
  Environment(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const char* value = std::getenv(name);
      kept_.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      ::unsetenv(name);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : kept_) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> kept_;
};

// A checkout whose `_stash` is one small file, and an interpreter whose torch is two.
class ExtensionTest : public testing::Test {
 protected:
  void SetUp() override {
    write(root() / "CMakeLists.txt", R"(
cmake_minimum_required(VERSION 3.25)
project(fake LANGUAGES CXX)
add_library(_stash MODULE src/stash/measure/a.cpp)
set_target_properties(_stash PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python)
)");
    write(source(), "int answer() { return 1; }\n");
    make_python("2.7.1+cpu");
    std::filesystem::create_directories(root() / "build");
    ::setenv("STASH_CACHE_DIR", cache().c_str(), 1);
  }
  void TearDown() override { ::unsetenv("STASH_CACHE_DIR"); }

  std::filesystem::path root() const { return folder_ / "check out"; }
  std::filesystem::path source() const { return root() / "src/stash/measure/a.cpp"; }
  std::filesystem::path python() const { return folder_ / "env/bin/python"; }
  std::filesystem::path cache() const { return folder_ / "cache"; }
  std::filesystem::path starts() const { return folder_ / "starts"; }

  // Answers as an interpreter would, and notes that it was started.
  void make_python(const std::string& torch_version, const std::string& environment = "env",
                   const std::string& build = "abcdef", const std::string& string_abi = "new") {
    const std::filesystem::path torch = folder_ / environment / "torch";
    const std::filesystem::path python = folder_ / environment / "bin/python";
    write(torch / "version.py", "__version__ = '" + torch_version + "'\n");
    write(folder_ / "env/include/Python.h", "");
    const std::string torch_folder = torch_version.empty() ? "" : torch.string();
    write(python, "#!/bin/sh\necho x >> '" + starts().string() + "'\ncat <<END\n3.11.7\ncpython-311\n" +
                      (folder_ / "env/include").string() + "\nsystem\n" + torch_folder + "\n" + torch_version + "\n" +
                      build + "\n" + string_abi + "\nEND\n");
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  }

  ExtensionInfo ensure() { return ensure(python(), root()); }
  ExtensionInfo ensure(const std::filesystem::path& python, const std::filesystem::path& root) {
    return ensure_extension(python, root,
                            [this](std::string_view line, bool /*passing*/) { said_ += std::string(line) + '\n'; });
  }
  // Where CMake builds; there once something was built.
  std::filesystem::path tree() const {
    for (const auto& entry : std::filesystem::directory_iterator(root() / "build")) {
      if (entry.path().filename().string().starts_with("torch-")) return entry.path();
    }
    return "";
  }
  std::string failure() {
    return message_of([this] { ensure(); });
  }
  std::size_t started() const { return file_content(starts()).size() / 2; }

  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path() / "with a space";
  std::string said_;
};

TEST_F(ExtensionTest, IsBuiltOnceAndFoundAgainWithoutStartingPython) {
  const ExtensionInfo first = ensure();
  EXPECT_TRUE(first.built);
  EXPECT_EQ(first.torch_version, "2.7.1+cpu");
  EXPECT_EQ(first.python_version, "3.11.7");
  EXPECT_TRUE(std::filesystem::exists(first.folder / "_stash.so"));
  EXPECT_TRUE(first.folder.string().starts_with((cache() / "extensions/torch-2.7.1+cpu-").string())) << first.folder;
  EXPECT_NE(said_.find("building the torch extension for torch 2.7.1+cpu"), std::string::npos) << said_;
  said_.clear();
  const ExtensionInfo second = ensure();
  EXPECT_FALSE(second.built);
  EXPECT_EQ(second.folder, first.folder);
  EXPECT_EQ(said_, "");
  EXPECT_EQ(started(), 1U);
}

TEST_F(ExtensionTest, IsBuiltAgainWhenASourceChangesOrAppearsAndFoundWhenItIsAsBefore) {
  ensure();
  write(source(), "int answer() { return 42; }\nint another() { return 1; }\n");
  const ExtensionInfo changed = ensure();
  EXPECT_TRUE(changed.built);
  EXPECT_NE(file_content(changed.folder / "_stash.so").find("another"), std::string::npos);
  write(root() / "src/stash/core/new.h", "");
  EXPECT_TRUE(ensure().built);
  std::filesystem::remove(root() / "src/stash/core/new.h");
  EXPECT_EQ(ensure().folder, changed.folder);
  write(root() / "src/stash/cli/verb.cpp", "not a source of the extension");
  EXPECT_FALSE(ensure().built);
}

TEST_F(ExtensionTest, ServesEveryEnvironmentWithTheSameTorch) {
  const ExtensionInfo first = ensure();
  make_python("2.7.1+cpu", "another environment");
  const ExtensionInfo second = ensure(folder_ / "another environment/bin/python", root());
  EXPECT_FALSE(second.built);
  EXPECT_EQ(second.folder, first.folder);
}

TEST_F(ExtensionTest, AnotherBuildOfTheSameTorchHasItsOwn) {
  const ExtensionInfo first = ensure();
  make_python("2.7.1+cpu", "env", "fedcba 12.8");
  EXPECT_TRUE(ensure().built);
}

TEST_F(ExtensionTest, ServesEveryCopyOfTheSameSources) {
  const ExtensionInfo first = ensure();
  const std::filesystem::path copy = folder_ / "another copy";
  std::filesystem::copy(root(), copy, std::filesystem::copy_options::recursive);
  const ExtensionInfo second = ensure(python(), copy);
  EXPECT_FALSE(second.built);
  EXPECT_EQ(second.folder, first.folder);
}

TEST_F(ExtensionTest, FewOfOtherSourcesAreKept) {
  for (int i = 0; i < 8; ++i) {
    write(source(), "int answer() { return " + std::to_string(i) + "; }\n");
    ensure();
  }
  std::size_t kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cache() / "extensions")) kept += entry.is_directory();
  EXPECT_EQ(kept, 5U);
}

TEST_F(ExtensionTest, AnInstalledCopyBringsItsOwnAndBuildsForAnotherTorch) {
  const std::filesystem::path built = ensure().folder / "_stash.so";
  adopt_extension(built, python(), root(), root() / "extensions");
  ::setenv("STASH_CACHE_DIR", (folder_ / "empty").c_str(), 1);
  const std::string path = std::getenv("PATH");
  find_interpreter(python(), folder_ / "empty/interpreters");  // it answers by programs that are on the path
  ::setenv("PATH", "/nowhere", 1);                             // without a compiler too
  const ExtensionInfo brought = ensure();
  ::setenv("PATH", path.c_str(), 1);
  make_python("2.9.0");
  EXPECT_FALSE(brought.built);
  EXPECT_TRUE(brought.folder.string().starts_with((root() / "extensions").string())) << brought.folder;
  EXPECT_TRUE(ensure().built);
}

TEST_F(ExtensionTest, AnInstalledCopyNeedsNoFolderThatCanBeWritten) {
  adopt_extension(ensure().folder / "_stash.so", python(), root(), root() / "extensions");
  ::setenv("STASH_CACHE_DIR", "/proc/nowhere", 1);
  EXPECT_FALSE(ensure().built);
  const Environment none{"STASH_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  EXPECT_FALSE(ensure().built);
}

TEST_F(ExtensionTest, ACacheThatCannotBeWrittenIsNamedWithWhatToDo) {
  ::setenv("STASH_CACHE_DIR", "/proc/nowhere", 1);
  EXPECT_NE(failure().find("set STASH_CACHE_DIR to a folder that can be written"), std::string::npos) << failure();
}

TEST_F(ExtensionTest, ARelativeCacheFolderOfTheUserIsIgnored) {
  const Environment none{"STASH_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_THROW(extension_cache(), Error);
  ::setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(extension_cache(), "/home/somebody/.cache/stash");
}

TEST_F(ExtensionTest, WithoutACompilerItSaysWhichTorchNeedsNone) {
  adopt_extension(ensure().folder / "_stash.so", python(), root(), root() / "extensions");
  make_python("2.9.0");
  const std::string path = std::getenv("PATH");
  std::filesystem::create_directories(folder_ / "bin");
  for (const char* tool : {"cat", "sh"}) std::filesystem::create_symlink(*find_program(tool), folder_ / "bin" / tool);
  ::setenv("PATH", (folder_ / "bin").c_str(), 1);
  const std::string what = failure();
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_NE(what.find("apt-get install g++"), std::string::npos) << what;
  EXPECT_NE(what.find("needs no compiler with torch 2.7.1+cpu"), std::string::npos) << what;
}

TEST_F(ExtensionTest, EachTorchHasItsOwn) {
  const ExtensionInfo first = ensure();
  make_python("2.13.0+cu130");
  const ExtensionInfo second = ensure();
  EXPECT_TRUE(second.built);
  EXPECT_NE(second.folder, first.folder);
  EXPECT_EQ(second.torch_version, "2.13.0+cu130");
  EXPECT_TRUE(std::filesystem::exists(first.folder / "_stash.so"));
}

TEST_F(ExtensionTest, WhatWasDeletedOrDamagedIsMended) {
  const ExtensionInfo info = ensure();
  std::filesystem::remove_all(info.folder);
  EXPECT_TRUE(ensure().built);
  std::filesystem::remove_all(info.folder);
  std::filesystem::remove(tree() / "build.ninja");
  EXPECT_TRUE(ensure().built);
  std::filesystem::resize_file(info.folder / "_stash.so", 100);
  EXPECT_TRUE(ensure().built);
  EXPECT_GT(std::filesystem::file_size(info.folder / "_stash.so"), 100U);
  std::filesystem::remove(info.folder / "stamp");
  EXPECT_TRUE(ensure().built);
  std::filesystem::remove_all(cache());
  EXPECT_TRUE(ensure().built);
  EXPECT_TRUE(std::filesystem::exists(info.folder / "_stash.so"));
}

TEST_F(ExtensionTest, ABuildThatWasLeftWhileConfiguringStartsAfresh) {
  std::filesystem::remove_all(ensure().folder);
  write(tree() / "unfinished", "configure");
  write(tree() / "CMakeCache.txt", "half a ca");
  EXPECT_TRUE(ensure().built);
  EXPECT_FALSE(std::filesystem::exists(tree() / "unfinished"));
}

TEST_F(ExtensionTest, ABuildThatWasLeftWhileCompilingAndCannotGoOnStartsAfresh) {
  std::filesystem::remove_all(ensure().folder);
  std::filesystem::remove_all(tree() / "CMakeFiles");
  write(tree() / "CMakeFiles", "a file where a folder belongs");
  write(tree() / "unfinished", "compile");
  EXPECT_TRUE(ensure().built);
}

TEST_F(ExtensionTest, ABuildKilledAtAnyMomentIsMended) {
  write(source(), "#include <regex>\nbool answer() { return std::regex_match(\"a\", std::regex(\"a+\")); }\n");
  for (const double after_s : {0.05, 0.3, 0.8}) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setpgid(0, 0);
      ensure();
      ::_exit(0);
    }
    ::setpgid(child, child);
    sleep_until_ns(now_ns() + nanoseconds(after_s));
    ::kill(-child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
  }
  const ExtensionInfo info = ensure();
  EXPECT_TRUE(std::filesystem::exists(info.folder / "_stash.so"));
  EXPECT_FALSE(ensure().built);
}

TEST_F(ExtensionTest, TwoAtOnceBuildOnce) {
  std::array<ExtensionInfo, 2> infos;
  {
    std::array<std::jthread, 2> threads;
    for (std::size_t i = 0; i < 2; ++i) {
      threads[i] = std::jthread([&, i] { infos[i] = ensure_extension(python(), root(), {}); });
    }
  }
  EXPECT_NE(infos[0].built, infos[1].built);
  EXPECT_EQ(infos[0].folder, infos[1].folder);
}

TEST_F(ExtensionTest, AFailedBuildShowsTheFirstErrorAndWhereTheRestIs) {
  write(source(), "int answer() { return nonsense; }\n");
  const std::string what = failure();
  EXPECT_NE(what.find("nonsense"), std::string::npos) << what;
  EXPECT_NE(what.find("compile.log"), std::string::npos) << what;
  write(source(), "int answer() { return 2; }\n");
  EXPECT_TRUE(ensure().built);
}

TEST_F(ExtensionTest, AFailedConfigurationShowsCMakesError) {
  write(root() / "CMakeLists.txt", "message(FATAL_ERROR \"no such torch\")\n");
  const std::string what = failure();
  EXPECT_NE(what.find("CMake Error"), std::string::npos) << what;
}

TEST_F(ExtensionTest, ATorchThatIsBrokenIsOneSentence) {
  write(root() / "CMakeLists.txt",
        "file(WRITE ${CMAKE_BINARY_DIR}/torch_fault.txt \"torch cannot be imported\\n\")\n"
        "message(FATAL_ERROR \"no\")\n");
  EXPECT_EQ(failure(), "torch cannot be imported");
}

TEST_F(ExtensionTest, MissingHeadersNameTheirPackage) {
  std::filesystem::remove(folder_ / "env/include/Python.h");
  EXPECT_NE(failure().find("apt-get install python3.11-dev"), std::string::npos) << failure();
}

TEST_F(ExtensionTest, MissingToolsNameTheirPackage) {
  const std::string path = std::getenv("PATH");
  std::filesystem::create_directories(folder_ / "bin");
  for (const char* tool : {"cat", "sh"}) std::filesystem::create_symlink(*find_program(tool), folder_ / "bin" / tool);
  std::filesystem::create_symlink(*find_program("c++"), folder_ / "bin/c++");
  ::setenv("PATH", (folder_ / "bin").c_str(), 1);
  const std::string without_cmake = failure();
  std::filesystem::create_symlink("/bin/true", folder_ / "bin/cmake");
  const std::string without_ninja = failure();
  std::filesystem::create_symlink("/bin/true", folder_ / "bin/ninja");
  std::filesystem::remove(folder_ / "bin/c++");
  const std::string without_compiler = failure();
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_NE(without_cmake.find("apt-get install cmake"), std::string::npos) << without_cmake;
  EXPECT_NE(without_ninja.find("apt-get install ninja-build"), std::string::npos) << without_ninja;
  EXPECT_NE(without_compiler.find("apt-get install g++"), std::string::npos) << without_compiler;
}

TEST_F(ExtensionTest, GoesOnWhenTheCompilerWasTakenAway) {
  ensure();
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const ExtensionInfo info = ensure();
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(info.built);
}

TEST_F(ExtensionTest, AnInterpreterWithoutARecentTorchIsRefused) {
  make_python("2.4.1");
  EXPECT_NE(failure().find("has torch 2.4.1, but 2.5 or newer"), std::string::npos) << failure();
  make_python("");
  EXPECT_NE(failure().find("has no torch"), std::string::npos) << failure();
  write(python(), "#!/bin/sh\necho oops >&2\nexit 1\n");
  EXPECT_NE(failure().find("not a working Python 3 (exit code 1): oops"), std::string::npos) << failure();
  std::filesystem::remove(python());
  EXPECT_THROW(ensure(), UsageError);
}

TEST_F(ExtensionTest, ADamagedMemoryIsAskedAnew) {
  ensure();
  for (const auto& entry : std::filesystem::directory_iterator(cache() / "interpreters")) {
    write(entry.path(), "half an answ");
  }
  EXPECT_FALSE(ensure().built);
  EXPECT_EQ(started(), 2U);
}

TEST_F(ExtensionTest, ACheckoutThatCannotBeWrittenIsLeftAsItIs) {
  std::filesystem::remove_all(root() / "build");
  const ExtensionInfo info = ensure();
  EXPECT_TRUE(info.built);
  EXPECT_TRUE(info.folder.string().starts_with(cache().string()));
  EXPECT_FALSE(std::filesystem::exists(root() / "build"));
  EXPECT_TRUE(std::filesystem::is_empty(cache() / "builds"));
}

TEST_F(ExtensionTest, TheOldAbiOfTheStandardLibraryIsSaid) {
  make_python("2.5.1", "env", "abcdef", "old");
  ensure();
  EXPECT_NE(said_.find("torch 2.5.1 uses the old ABI"), std::string::npos) << said_;
}

TEST(Interpreter, OfThisMachineIsAskedForItsTorch) {
  const auto python = find_program("/usr/bin/python3");
  if (!python) GTEST_SKIP() << "no /usr/bin/python3 here";
  try {
    const TemporaryFolder memory;
    const Interpreter found = find_interpreter(*python, memory.path() / "memory");
    EXPECT_FALSE(found.torch_version.empty());
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("torch"), std::string::npos) << error.what();
  }
}

TEST(ExtensionBuild, CompilesAsManyAsThereAreCoresAndMemory) {
  EXPECT_EQ(compile_jobs(8, 100e9), 8);
  EXPECT_EQ(compile_jobs(8, 6e9), 2);
  EXPECT_EQ(compile_jobs(8, 1e9), 1);
  EXPECT_EQ(compile_jobs(1, 100e9), 1);
}

TEST(ExtensionBuild, FirstErrorsAreFewAndShort) {
  std::string output = "[1/2] Building\n";
  for (int i = 0; i < 100; ++i) output += "a.cpp:1: error: " + std::string(5000, 'x') + "\nnote: more\n";
  EXPECT_LT(first_errors(output).size(), 3000U);
  EXPECT_EQ(first_errors(output).find("note"), std::string::npos);
  EXPECT_EQ(first_errors("a\nb\n"), "  a\n  b\n");
  EXPECT_EQ(first_errors(""), "");
}

TEST(ExtensionBuild, ALinkErrorShowsTheLineThatExplainsIt) {
  const std::string errors = first_errors(
      "[9/9] Linking\n/usr/bin/ld: cannot find -ltorch_python: No such file\ncollect2: error: ld returned 1 exit "
      "status\n");
  EXPECT_EQ(errors, "  /usr/bin/ld: cannot find -ltorch_python: No such file\n");
}

}  // namespace
}  // namespace stash
