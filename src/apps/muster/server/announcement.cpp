#include "apps/muster/server/announcement.h"

#include "services/bootstrap/founding.h"
#include "runtime/systemd.h"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace muster::server {
namespace {

void tell_the_log(const announcement& what, bool first_login, runtime::logger& log) {
    log.info(
        what.is_new ? "founded a cluster and serving it" : "serving",
        {{"cluster", what.cluster}, {"url", what.url}, {"advertised", what.advertised}});
    if (!first_login) return;
    log.info(
        "log in with the first password and change it: muster login --server URL --ca FILE --user "
        "NAME --password-file FILE",
        {{"server", what.url},
         {"ca", what.authority.string()},
         {"user", first_user},
         {"password_file", what.first_password.string()}});
}

void tell_the_terminal(const announcement& what, bool first_login) {
    const auto authority = what.authority.string();
    const auto password = what.first_password.string();
    fmt::print("\n  muster {} serves cluster {}\n\n", MUSTER_VERSION, what.cluster);
    fmt::print("  UI and API   {}\n  CA           {}\n", what.url, authority);
    if (first_login) {
        fmt::print("  user         {}, password in {}\n", first_user, password);
        fmt::print(
            "  log in       muster login --server {} --ca {} --user {} --password-file {}\n",
            what.url,
            authority,
            first_user,
            password);
    }
    fmt::print("\n");
    static_cast<void>(std::fflush(stdout));
}

}  // namespace

void announce(const announcement& what, runtime::logger& log) {
    const bool first_login = std::filesystem::exists(what.first_password);
    tell_the_log(what, first_login, log);
    runtime::systemd::status("serving cluster " + what.cluster + " at " + what.url);
    if (::isatty(STDOUT_FILENO) == 1) tell_the_terminal(what, first_login);
}

}  // namespace muster::server
