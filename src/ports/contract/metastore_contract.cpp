#include "ports/contract/metastore_contract.h"

#include "ports/contract/metastore_promises.h"

#include <string>

namespace muster::contract {

using boost::asio::awaitable;

awaitable<void> metastore_fixture::kill_engine() {
    return cannot();
}

awaitable<void> metastore_fixture::restart_engine() {
    return cannot();
}

awaitable<void> metastore_fixture::faulty_tcp_proxy() {
    return cannot();
}

awaitable<void> metastore_fixture::heal_link() {
    return cannot();
}

awaitable<void> metastore_fixture::change_leader() {
    return cannot();
}

std::string metastore_fixture::fresh_prefix() {
    ++prefixes_made_;
    return "contract/" + std::to_string(prefixes_made_) + "/";
}

std::span<const metastore_promise> metastore_promises() {
    static const auto all = joined<metastore_promise>({
        promises_about_entries(),
        promises_about_concurrency(),
        promises_about_leases(),
        promises_about_watches(),
        promises_about_faults(),
    });
    return all;
}

void check_metastore_contract(metastore_fixture& fixture) {
    check_promises(metastore_promises(), fixture);
}

}  // namespace muster::contract
