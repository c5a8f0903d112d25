#include "core/table/schema.h"

#include "base/hex.h"

#include <string_view>

namespace muster::table {
namespace {

// Every part followed by a byte that no part contains, so that neighbours cannot run together.
class canonical_text {
public:
    canonical_text& operator<<(std::string_view part) {
        text_ += part;
        text_ += '\x1f';
        return *this;
    }
    canonical_text& operator<<(const std::vector<std::string>& parts) {
        for (const auto& part : parts) *this << part;
        return *this << "end";
    }
    canonical_text& operator<<(const column& column) {
        return *this << column.name << to_string(column.type)
                     << (column.needed == presence::required ? "required" : "optional");
    }
    const std::string& str() const { return text_; }

private:
    std::string text_;
};

struct step_writer {
    canonical_text& output;

    void operator()(const create_table& create_table) const {
        output << "create_table" << create_table.table.name;
        for (const auto& column : create_table.table.columns) output << column;
        output << "key" << create_table.table.key;
        if (create_table.table.partition)
            output << create_table.table.partition->column
                   << std::to_string(create_table.table.partition->span.count());
        output << (create_table.table.is_sequenced() ? "sequenced" : "plain");
    }
    void operator()(const add_column& add_column) const {
        output << "add_column" << add_column.table << add_column.added;
    }
    void operator()(const create_index& create_index) const {
        output << "create_index" << create_index.name << create_index.table << create_index.columns;
    }
    void operator()(const engine_sql& engine_sql) const {
        output << "engine_sql" << engine_sql.postgres << engine_sql.sqlite;
    }
};

// FNV-1a. Detects mistakes, not attacks: an attacker could write to the database directly.
std::uint64_t fingerprint(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : text) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
    return hash;
}

}  // namespace

std::string digest(const migration& change) {
    canonical_text text;
    text << std::to_string(change.version);
    for (const auto& step : change.steps) std::visit(step_writer{text}, step);
    std::string bytes;
    const std::uint64_t hash = fingerprint(text.str());
    for (int shift = 56; shift >= 0; shift -= 8)
        bytes.push_back(static_cast<char>((hash >> static_cast<unsigned>(shift)) & 0xffU));
    return to_hex(bytes);
}

result<std::vector<migration>> pending(
    const schema& schema, const std::vector<applied_migration>& applied) {
    const auto& existing = schema.migrations;
    if (applied.size() > existing.size())
        return fail(
            errc::conflict,
            "database has schema version " + std::to_string(applied.back().version)
                + ", this program supports up to " + std::to_string(existing.size())
                + "; upgrade this program");
    for (std::size_t at = 0; at < applied.size(); ++at) {
        if (applied[at].version == existing[at].version
            && applied[at].digest == digest(existing[at]))
            continue;
        return fail(
            errc::conflict,
            "schema version " + std::to_string(applied[at].version)
                + " of the database differs from this program (" + existing[at].description
                + "): the database belongs to another program, or the migration was altered after "
                  "its release");
    }
    return std::vector<migration>(
        existing.begin() + static_cast<std::ptrdiff_t>(applied.size()), existing.end());
}

result<schema> applied_schema(
    const schema& existing, const std::vector<applied_migration>& applied) {
    CHECK_OK(pending(existing, applied));
    schema part;
    part.migrations.assign(
        existing.migrations.begin(),
        existing.migrations.begin() + static_cast<std::ptrdiff_t>(applied.size()));
    return part;
}

result<catalog> catalog::of(const schema& history) {
    catalog result;
    for (const auto& migration : history.migrations) {
        if (migration.version != result.version_ + 1)
            return fail(
                errc::invalid,
                "schema version " + std::to_string(migration.version) + " must be "
                    + std::to_string(result.version_ + 1));
        if (auto applied = result.apply(migration); !applied)
            return fail(applied.error().with_context(
                "schema version " + std::to_string(migration.version)));
        result.version_ = migration.version;
    }
    return result;
}

result<const definition*> catalog::find(const std::string& table) const {
    const auto it = tables_.find(table);
    if (it == tables_.end()) return fail(errc::invalid, "table \"" + table + "\" not found");
    return &it->second;
}

result<void> catalog::apply(const migration& change) {
    for (const auto& step : change.steps) {
        auto applied =
            std::visit([this](const auto& alternative) { return apply(alternative); }, step);
        if (!applied) return applied;
    }
    return {};
}

result<void> catalog::apply(const create_table& change) {
    CHECK_OK(check(change.table));
    if (!tables_.emplace(change.table.name, change.table).second)
        return fail(errc::invalid, "table \"" + change.table.name + "\" already exists");
    return {};
}

result<void> catalog::apply(const add_column& change) {
    TRY(const definition* before, find(change.table));
    if (change.added.needed != presence::optional)
        return fail(errc::invalid, "added column \"" + change.added.name + "\" must be optional");
    definition after = *before;
    after.columns.push_back(change.added);
    CHECK_OK(check(after));
    tables_[change.table] = std::move(after);
    return {};
}

result<void> catalog::apply(const create_index& change) {
    CHECK_OK(check_name("index", change.name));
    TRY(const definition* table, find(change.table));
    if (change.columns.empty())
        return fail(errc::invalid, "index \"" + change.name + "\" has no columns");
    for (const auto& name : change.columns)
        if (!table->find(name))
            return fail(
                errc::invalid,
                "index " + change.name + ": table " + change.table + " has no column '" + name
                    + "'");
    if (!indexes_.emplace(change.name, change.table).second)
        return fail(errc::invalid, "index \"" + change.name + "\" already exists");
    return {};
}

result<void> catalog::apply(const engine_sql& /*change*/) {
    return {};
}

}  // namespace muster::table
