#include "adapters/ledger/postgres/hosts.h"

#include <libpq-fe.h>
#include <memory>
#include <string_view>

namespace muster::ledger_postgres {
namespace {

struct free_options {
    void operator()(PQconninfoOption* all) const { PQconninfoFree(all); }
};
using options_handle = std::unique_ptr<PQconninfoOption, free_options>;

std::string value_in(const options_handle& all, std::string_view keyword) {
    for (const auto* each = all.get(); each != nullptr && each->keyword != nullptr; ++each) {
        if (each->keyword == keyword && each->val != nullptr) return each->val;
    }
    return {};
}

std::vector<std::string> members_of(std::string_view list) {
    std::vector<std::string> members;
    while (true) {
        const auto comma = list.find(',');
        members.emplace_back(list.substr(0, comma));
        if (comma == std::string_view::npos) return members;
        list.remove_prefix(comma + 1);
    }
}

}  // namespace

result<std::vector<std::string>> hosts_of(const std::string& address) {
    const options_handle given(PQconninfoParse(address.c_str(), nullptr));
    // libpq's own words would repeat the address.
    if (!given) return fail(errc::invalid, "the address of PostgreSQL cannot be read");
    const options_handle defaults(PQconndefaults());
    // An address is where it connects to; a host beside it is only the name to be checked.
    for (const auto* keyword : {"hostaddr", "host"}) {
        if (const auto found = value_in(given, keyword); !found.empty()) return members_of(found);
    }
    for (const auto* keyword : {"hostaddr", "host"}) {
        if (const auto found = value_in(defaults, keyword); !found.empty())
            return members_of(found);
    }
    return std::vector<std::string>{"/"};  // its own directory of Unix sockets
}

}  // namespace muster::ledger_postgres
