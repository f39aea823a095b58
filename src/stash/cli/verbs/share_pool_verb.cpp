#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "stash/cli/flags/pool_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/share_verbs.h"
#include "stash/launch/process/stop_signals.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

class SharePoolVerb final : public Verb {
 public:
  std::string name() const override { return "pool"; }
  std::string description() const override { return "Run the pool of loader workers that jobs join and leave"; }

  void add_flags(CLI::App& app) override {
    flags_.add_to(app);
    socket_.add_to(app);
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash share pool --cores 14 &\n"
        "  stash share pool --cores 14 --measure-gain 30s --format html --out pool.html\n"
        "It ends with Ctrl-C or SIGTERM; jobs then continue with the workers that they have.\n");
  }

  int run() override {
    const Format format = format_.get();
    const PoolServerOptions options = flags_.resolve();
    if (!out_.empty()) check_writable(out_);
    StopSignals signals;
    const PoolListener listener(socket_.get());
    StatusLine().say(fmt::format("pool of {} cores at {}", options.cores, listener.path().string()));
    PoolServer server(listener, options);
    server.serve(signals.fd());
    signals.take();  // else it would end us before the report
    print_or_write(render_pool(server.state(), format, options_for_stdout()), out_);
    return 0;
  }

 private:
  PoolFlags flags_;
  SocketFlag socket_;
  std::string out_;
  FormatFlag format_ = sharing_format();
};

}  // namespace

std::unique_ptr<Verb> make_share_pool_verb() { return std::make_unique<SharePoolVerb>(); }

}  // namespace stash
