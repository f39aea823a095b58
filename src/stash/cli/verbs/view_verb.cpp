#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <string>

#include "stash/catalog/user_catalogue.h"
#include "stash/cli/make_report.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/launch/process/stop_signals.h"
#include "stash/report/printable.h"
#include "stash/view/server.h"
#include "stash/view/site.h"

extern char** environ;

namespace stash {

namespace {

// Not waited for: it may become the browser itself. Standard output stays ours.
void open_browser(std::string address) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_init(&actions);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  std::string program = "xdg-open";
  char* const arguments[] = {program.data(), address.data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, program.c_str(), &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fmt::print(stderr, "stash: cannot start xdg-open; open {} in a browser\n", address);
}

class ViewVerb final : public Verb {
 public:
  std::string name() const override { return "view"; }
  std::string description() const override {
    return "Browse a folder of profiles in a local page: list, filter, compare";
  }

  void add_flags(CLI::App& app) override {
    app.add_option("folder", folder_, "Folder of profiles: its files that end in .json")->required()->type_name("DIR");
    app.add_option("--port", port_, "Port on 127.0.0.1; default: a free one")->type_name("PORT");
    app.add_flag("--open", open_, "Open the page with xdg-open");
    app.footer(
        "Examples:\n"
        "  stash view results/\n"
        "  stash view results/ --port 8080 --open\n");
  }

  int run() override {
    if (port_ < 0 || port_ > 65535) throw UsageError(fmt::format("--port takes 1 to 65535, not {}", port_));
    const Catalogue catalogue = read_catalogue();
    tell_warnings(catalogue.warnings);
    Site site(folder_, [&](Profile profile) { return make_report(std::move(profile), catalogue.instances); });
    StopSignals signals;
    Server server(port_);
    const std::string address = fmt::format("http://127.0.0.1:{}/", server.port());
    print_or_write(address + "\n", "");
    fmt::print(stderr, "stash: serving {}; press Ctrl-C to stop\n", printable(folder_));
    if (open_) open_browser(address);
    server.serve({.answer = [&](const Request& request) { return site.answer(request); },
                  .changed = [&] { return site.changed(); }},
                 signals.fd());
    while (signals.take()) continue;  // what is left pending would end the program by the signal
    return 0;
  }

 private:
  std::string folder_;
  int port_ = 0;
  bool open_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_view_verb() { return std::make_unique<ViewVerb>(); }

}  // namespace stash
