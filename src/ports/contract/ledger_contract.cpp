#include "ports/contract/ledger_contract.h"

#include "ports/contract/ledger_cases.h"

#include <string>

namespace muster::contract {

using boost::asio::awaitable;

awaitable<void> ledger_fixture::kill_engine() {
    return cannot();
}

awaitable<void> ledger_fixture::restart_engine() {
    return cannot();
}

awaitable<void> ledger_fixture::cut_link() {
    return cannot();
}

awaitable<void> ledger_fixture::heal_link() {
    return cannot();
}

std::string ledger_fixture::fresh_database() {
    ++databases_made_;
    return "contract_" + std::to_string(databases_made_);
}

std::span<const ledger_case> ledger_cases() {
    static const auto all = join_cases<ledger_case>({
        migration_cases(),
        write_cases(),
        read_cases(),
        sequence_cases(),
        partition_cases(),
        ledger_fault_cases(),
    });
    return all;
}

void check_ledger_contract(ledger_fixture& fixture) {
    check_cases(ledger_cases(), fixture);
}

}  // namespace muster::contract
