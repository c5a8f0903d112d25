#include "ports/contract/ledger_contract.h"

#include "ports/contract/ledger_promises.h"

#include <string>

namespace muster::contract {

using boost::asio::awaitable;

awaitable<void> ledger_fixture::kill_engine() {
    return cannot();
}

awaitable<void> ledger_fixture::restart_engine() {
    return cannot();
}

awaitable<void> ledger_fixture::faulty_tcp_proxy() {
    return cannot();
}

awaitable<void> ledger_fixture::heal_link() {
    return cannot();
}

std::string ledger_fixture::fresh_database() {
    ++databases_made_;
    return "contract_" + std::to_string(databases_made_);
}

std::span<const ledger_promise> ledger_promises() {
    static const auto all = joined<ledger_promise>({
        promises_about_migrations(),
        promises_about_writes(),
        promises_about_reads(),
        promises_about_sequences(),
        promises_about_partitions(),
        promises_about_lost_ledgers(),
    });
    return all;
}

void check_ledger_contract(ledger_fixture& fixture) {
    check_promises(ledger_promises(), fixture);
}

}  // namespace muster::contract
