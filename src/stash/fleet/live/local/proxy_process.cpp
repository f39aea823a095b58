#include "stash/fleet/live/local/proxy_process.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/process/subprocess.h"

namespace stash {
namespace {

constexpr double kProxyStart_s = 10;
constexpr const char* kMissingProxy =
    "the local provider needs HAProxy, and there is no `haproxy`: apt-get install haproxy";

std::filesystem::path proxy_log(const std::filesystem::path& folder) { return folder / "haproxy.log"; }

}  // namespace

std::string find_proxy() {
  for (const char* const name : {"haproxy", "/usr/sbin/haproxy", "/usr/local/sbin/haproxy"}) {
    if (const auto found = find_program(name)) return found->string();
  }
  throw Error(kMissingProxy);
}

ProcessIdentity start_proxy_process(const std::filesystem::path& folder) {
  return start_detached({find_proxy(), "-W", "-db", "-C", folder.string(), "-f", "haproxy.cfg"}, proxy_log(folder));
}

void wait_for_proxy(const ProxySocket& proxy, const ProcessIdentity& process, const std::filesystem::path& folder) {
  const std::int64_t deadline_ns = now_ns() + nanoseconds(kProxyStart_s);
  while (true) {
    try {
      proxy.servers();
      return;
    } catch (const Error& error) {
      reap({process});
      if (!is_alive(process)) {
        throw Error(fmt::format("HAProxy ended at once; {} says why", proxy_log(folder).string()));
      }
      if (now_ns() > deadline_ns) throw Error(fmt::format("HAProxy does not start: {}", error.what()));
      sleep_until_ns(now_ns() + nanoseconds(0.05));
    }
  }
}

// A connection takes two files.
int most_proxy_connections() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1000;
  const double files = limit.rlim_max == RLIM_INFINITY ? 1e6 : static_cast<double>(limit.rlim_max);
  return static_cast<int>(std::clamp((files - 200) / 2.5, 50.0, 10'000.0));
}

}  // namespace stash
