#include "ports/contract/metastore_contract.h"

#include "ports/contract/metastore_cases.h"

#include <string>

namespace muster::contract {

using boost::asio::awaitable;

awaitable<void> metastore_fixture::kill_engine() {
    return cannot();
}

awaitable<void> metastore_fixture::restart_engine() {
    return cannot();
}

awaitable<void> metastore_fixture::cut_link() {
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

std::span<const metastore_case> metastore_cases() {
    static const auto all = join_cases<metastore_case>({
        entry_cases(),
        concurrency_cases(),
        lease_cases(),
        watch_cases(),
        metastore_fault_cases(),
    });
    return all;
}

void check_metastore_contract(metastore_fixture& fixture) {
    check_cases(metastore_cases(), fixture);
}

}  // namespace muster::contract
