#pragma once

#include "core/table/store.h"
#include "ports/ledger.h"
#include "sim/engines/codec.h"
#include "sim/engines/machine.h"
#include "sim/world.h"

#include <map>
#include <string>
#include <variant>

namespace muster::sim {

// What a ledger client can ask for, of the named database.
struct ledger_migrate {
    std::string database;
    table::schema wanted;
};
struct ledger_look {
    std::string database;
    table::schema known;
};
struct ledger_write {
    std::string database;
    table::batch change;
};
struct ledger_read {
    std::string database;
    table::query question;
};
struct ledger_wait {
    std::string database;
    std::string table;
    table::sequence after;
};
struct ledger_ensure {
    std::string database;
    table::partition_range wanted;
};
struct ledger_retire {
    std::string database;
    std::string table;
    wall_time before;
};
struct ledger_identify {
    std::string database;
};
using ledger_request = std::variant<
    ledger_migrate,
    ledger_write,
    ledger_read,
    ledger_wait,
    ledger_ensure,
    ledger_retire,
    ledger_identify,
    ledger_look>;

void fields(auto& archive, is<table::null> auto& /*what*/) {
    archive();
}
void fields(auto& archive, is<table::blob> auto& what) {
    archive(what.content);
}
void fields(auto& archive, is<table::column> auto& what) {
    archive(what.name, what.type, what.needed);
}
void fields(auto& archive, is<table::partitioning> auto& what) {
    archive(what.column, what.span);
}
void fields(auto& archive, is<table::definition> auto& what) {
    archive(what.name, what.columns, what.key, what.partition, what.sequenced);
}
void fields(auto& archive, is<table::create_table> auto& what) {
    archive(what.table);
}
void fields(auto& archive, is<table::add_column> auto& what) {
    archive(what.table, what.added);
}
void fields(auto& archive, is<table::create_index> auto& what) {
    archive(what.name, what.table, what.columns);
}
void fields(auto& archive, is<table::engine_sql> auto& what) {
    archive(what.postgres, what.sqlite);
}
void fields(auto& archive, is<table::migration> auto& what) {
    archive(what.version, what.what, what.steps);
}
void fields(auto& archive, is<table::schema> auto& what) {
    archive(what.migrations);
}
void fields(auto& archive, is<table::keep_existing> auto& /*what*/) {
    archive();
}
void fields(auto& archive, is<table::replace> auto& /*what*/) {
    archive();
}
void fields(auto& archive, is<table::replace_if_grows> auto& what) {
    archive(what.column);
}
void fields(auto& archive, is<table::write> auto& what) {
    archive(what.table, what.rows, what.existing);
}
void fields(auto& archive, is<table::erasure> auto& what) {
    archive(what.table, what.keys);
}
void fields(auto& archive, is<table::batch> auto& what) {
    archive(what.writes, what.erasures);
}
void fields(auto& archive, is<table::summary> auto& what) {
    archive(what.changed, what.kept, what.erased, what.last);
}
void fields(auto& archive, is<table::condition> auto& what) {
    archive(what.column, what.compare, what.values);
}
void fields(auto& archive, is<table::query> auto& what) {
    archive(what.table, what.where, what.order, what.going, what.after, what.limit);
}
void fields(auto& archive, is<table::page> auto& what) {
    archive(what.rows, what.next);
}
void fields(auto& archive, is<table::partition_range> auto& what) {
    archive(what.table, what.from, what.until);
}
void fields(auto& archive, is<ledger_identity> auto& what) {
    archive(what.engine, what.database, what.version);
}
void fields(auto& archive, is<ledger_migrate> auto& what) {
    archive(what.database, what.wanted);
}
void fields(auto& archive, is<ledger_look> auto& what) {
    archive(what.database, what.known);
}
void fields(auto& archive, is<ledger_write> auto& what) {
    archive(what.database, what.change);
}
void fields(auto& archive, is<ledger_read> auto& what) {
    archive(what.database, what.question);
}
void fields(auto& archive, is<ledger_wait> auto& what) {
    archive(what.database, what.table, what.after);
}
void fields(auto& archive, is<ledger_ensure> auto& what) {
    archive(what.database, what.wanted);
}
void fields(auto& archive, is<ledger_retire> auto& what) {
    archive(what.database, what.table, what.before);
}
void fields(auto& archive, is<ledger_identify> auto& what) {
    archive(what.database);
}

// The ledger as a simulated engine runs it. The model keeps no snapshots, so its journal is
// replayed from the beginning.
class ledger_machine final : public machine {
public:
    explicit ledger_machine(world& where) : where_(where) {}

    bool is_logged(std::string_view request) const override;
    bool is_ready(std::string_view request) const override;
    std::string apply(std::string_view request, instant now) override;
    std::vector<std::string> expire(instant /*now*/) override { return {}; }
    std::optional<instant> next_deadline() const override { return std::nullopt; }
    std::optional<std::string> snapshot(instant /*now*/) override { return std::nullopt; }
    result<void> restore(std::string_view snapshot, instant now) override;
    void recovered(instant /*now*/) override {}
    std::string refusal(const error& why) const override;

private:
    std::string answer(const ledger_migrate& ledger_migrate);
    std::string answer(const ledger_look& ledger_look);
    std::string answer(const ledger_write& ledger_write);
    std::string answer(const ledger_read& ledger_read);
    std::string answer(const ledger_wait& ledger_wait);
    std::string answer(const ledger_ensure& ledger_ensure);
    std::string answer(const ledger_retire& ledger_retire);
    std::string answer(const ledger_identify& ledger_identify);

    world& where_;
    std::map<std::string, table::store> databases_;
};

}  // namespace muster::sim
