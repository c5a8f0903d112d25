#pragma once

#include "core/table/store.h"
#include "ports/ledger.h"
#include "sim/engines/codec.h"
#include "sim/engines/machine.h"
#include "sim/simulation.h"

#include <map>
#include <string>
#include <variant>

namespace muster::sim {

// What a ledger client can ask for, of the named database.
struct ledger_migrate {
    std::string database;
    table::schema schema;
};
struct ledger_inspect {
    std::string database;
    table::schema schema;
};
struct ledger_write {
    std::string database;
    table::batch change;
};
struct ledger_read {
    std::string database;
    table::query query;
};
struct ledger_wait {
    std::string database;
    std::string table;
    table::sequence after;
};
struct ledger_ensure_partitions {
    std::string database;
    table::partition_range range;
};
struct ledger_drop_partitions {
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
    ledger_ensure_partitions,
    ledger_drop_partitions,
    ledger_identify,
    ledger_inspect>;

void fields(auto& archive, is<table::null> auto& /*value*/) {
    archive();
}
void fields(auto& archive, is<table::blob> auto& value) {
    archive(value.content);
}
void fields(auto& archive, is<table::column> auto& value) {
    archive(value.name, value.type, value.needed);
}
void fields(auto& archive, is<table::partitioning> auto& value) {
    archive(value.column, value.span);
}
void fields(auto& archive, is<table::definition> auto& value) {
    archive(value.name, value.columns, value.key, value.partition, value.sequenced);
}
void fields(auto& archive, is<table::create_table> auto& value) {
    archive(value.table);
}
void fields(auto& archive, is<table::add_column> auto& value) {
    archive(value.table, value.added);
}
void fields(auto& archive, is<table::create_index> auto& value) {
    archive(value.name, value.table, value.columns);
}
void fields(auto& archive, is<table::engine_sql> auto& value) {
    archive(value.postgres, value.sqlite);
}
void fields(auto& archive, is<table::migration> auto& value) {
    archive(value.version, value.description, value.steps);
}
void fields(auto& archive, is<table::schema> auto& value) {
    archive(value.migrations);
}
void fields(auto& archive, is<table::keep_existing> auto& /*value*/) {
    archive();
}
void fields(auto& archive, is<table::replace> auto& /*value*/) {
    archive();
}
void fields(auto& archive, is<table::replace_if_grows> auto& value) {
    archive(value.column);
}
void fields(auto& archive, is<table::write> auto& value) {
    archive(value.table, value.rows, value.existing);
}
void fields(auto& archive, is<table::erasure> auto& value) {
    archive(value.table, value.keys);
}
void fields(auto& archive, is<table::batch> auto& value) {
    archive(value.writes, value.erasures);
}
void fields(auto& archive, is<table::summary> auto& value) {
    archive(value.changed, value.kept, value.erased, value.last);
}
void fields(auto& archive, is<table::condition> auto& value) {
    archive(value.column, value.compare, value.values);
}
void fields(auto& archive, is<table::query> auto& value) {
    archive(value.table, value.where, value.order, value.going, value.after, value.limit);
}
void fields(auto& archive, is<table::page> auto& value) {
    archive(value.rows, value.next);
}
void fields(auto& archive, is<table::partition_range> auto& value) {
    archive(value.table, value.from, value.until);
}
void fields(auto& archive, is<ledger_identity> auto& value) {
    archive(value.engine, value.database, value.version);
}
void fields(auto& archive, is<ledger_migrate> auto& value) {
    archive(value.database, value.schema);
}
void fields(auto& archive, is<ledger_inspect> auto& value) {
    archive(value.database, value.schema);
}
void fields(auto& archive, is<ledger_write> auto& value) {
    archive(value.database, value.change);
}
void fields(auto& archive, is<ledger_read> auto& value) {
    archive(value.database, value.query);
}
void fields(auto& archive, is<ledger_wait> auto& value) {
    archive(value.database, value.table, value.after);
}
void fields(auto& archive, is<ledger_ensure_partitions> auto& value) {
    archive(value.database, value.range);
}
void fields(auto& archive, is<ledger_drop_partitions> auto& value) {
    archive(value.database, value.table, value.before);
}
void fields(auto& archive, is<ledger_identify> auto& value) {
    archive(value.database);
}

// The ledger as a simulated engine runs it. The model keeps no snapshots, so its journal is
// replayed from the beginning.
class ledger_machine final : public machine {
public:
    explicit ledger_machine(sim::simulation& simulation) : simulation_(simulation) {}

    bool is_logged(std::string_view request) const override;
    bool is_ready(std::string_view request) const override;
    std::string apply(std::string_view request, instant now) override;
    std::vector<std::string> expire(instant /*now*/) override { return {}; }
    std::optional<instant> next_deadline() const override { return std::nullopt; }
    std::optional<std::string> snapshot(instant /*now*/) override { return std::nullopt; }
    result<void> restore(std::string_view snapshot, instant now) override;
    void recovered(instant /*now*/) override {}
    std::string refusal(const error& reason) const override;

private:
    std::string execute(const ledger_migrate& ledger_migrate);
    std::string execute(const ledger_inspect& ledger_inspect);
    std::string execute(const ledger_write& ledger_write);
    std::string execute(const ledger_read& ledger_read);
    std::string execute(const ledger_wait& ledger_wait);
    std::string execute(const ledger_ensure_partitions& ledger_ensure_partitions);
    std::string execute(const ledger_drop_partitions& ledger_drop_partitions);
    std::string execute(const ledger_identify& ledger_identify);

    sim::simulation& simulation_;
    std::map<std::string, table::store> databases_;
};

}  // namespace muster::sim
