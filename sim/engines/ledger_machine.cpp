#include "sim/engines/ledger_machine.h"

#include "base/assert.h"
#include "core/table/partition.h"

#include <utility>

namespace muster::sim {

namespace {

ledger_request understood(std::string_view bytes) {
    auto request = decode<ledger_request>(bytes);
    MUSTER_ASSERT(request.has_value());
    return *std::move(request);
}

template <class Kind>
bool is_a(std::string_view request) {
    return encodes<Kind>(std::type_identity<ledger_request>(), request);
}

template <class T>
result<void> without_value(const result<T>& outcome) {
    if (!outcome) return fail(outcome.error());
    return {};
}

}  // namespace

bool ledger_machine::is_logged(std::string_view request) const {
    return is_a<ledger_migrate>(request) || is_a<ledger_write>(request)
           || is_a<ledger_retire>(request);
}

bool ledger_machine::is_ready(std::string_view request) const {
    if (!is_a<ledger_wait>(request)) return true;
    const auto wait = std::get<ledger_wait>(understood(request));
    const auto database = databases_.find(wait.database);
    if (database == databases_.end()) return true;
    const auto last = database->second.last_sequence(wait.table);
    return !last || *last > wait.after;
}

std::string ledger_machine::apply(std::string_view request, instant /*now*/) {
    return std::visit([this](const auto& what) { return answer(what); }, understood(request));
}

std::string ledger_machine::answer(const ledger_migrate& what) {
    return encode(databases_[what.database].migrate(what.wanted));
}

std::string ledger_machine::answer(const ledger_look& what) {
    return encode(databases_[what.database].look(what.known));
}

std::string ledger_machine::answer(const ledger_write& what) {
    const auto written = databases_[what.database].write(what.change);
    if (written) where_.tracing.fold(static_cast<std::uint64_t>(written->last.value()));
    return encode(written);
}

std::string ledger_machine::answer(const ledger_read& what) {
    return encode(databases_[what.database].read(what.question));
}

std::string ledger_machine::answer(const ledger_wait& what) {
    return encode(databases_[what.database].last_sequence(what.table));
}

std::string ledger_machine::answer(const ledger_ensure& what) {
    const auto& tables = databases_[what.database].tables();
    return encode(without_value(table::partitions_in(what.wanted, tables)));
}

std::string ledger_machine::answer(const ledger_retire& what) {
    return encode(without_value(databases_[what.database].retire(what.table, what.before)));
}

std::string ledger_machine::answer(const ledger_identify& what) {
    return encode(result<ledger_identity>(ledger_identity{
        .engine = "simulated",
        .database = "simulated:" + what.database,
        .version = databases_[what.database].tables().version()}));
}

result<void> ledger_machine::restore(std::string_view /*snapshot*/, instant /*now*/) {
    return fail(errc::corrupt, "a simulated ledger has no checkpoints");
}

std::string ledger_machine::refusal(const error& why) const {
    return encode(result<void>(fail(why)));
}

}  // namespace muster::sim
