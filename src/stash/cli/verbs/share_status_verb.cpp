#include <CLI/CLI.hpp>

#include "stash/cli/flags/pool_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/share_verbs.h"
#include "stash/launch/pool/pool_socket.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

class ShareStatusVerb final : public Verb {
 public:
  std::string name() const override { return "status"; }
  std::string description() const override { return "Show the jobs in the pool, and what each has"; }

  void add_flags(CLI::App& app) override {
    socket_.add_to(app);
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash share status\n"
        "  stash share status --format html --out pool.html\n");
  }

  int run() override {
    const Format format = format_.get();
    const PoolState state = pool_state_from_line(ask_pool_state(socket_.get()));
    print_or_write(render_pool(state, format, options_for_stdout()), out_);
    return 0;
  }

 private:
  SocketFlag socket_;
  std::string out_;
  FormatFlag format_ = sharing_format();
};

}  // namespace

std::unique_ptr<Verb> make_share_status_verb() { return std::make_unique<ShareStatusVerb>(); }

}  // namespace stash
