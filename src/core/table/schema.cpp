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
    canonical_text& operator<<(const column& each) {
        return *this << each.name << to_string(each.type)
                     << (each.needed == presence::required ? "required" : "optional");
    }
    const std::string& str() const { return text_; }

private:
    std::string text_;
};

struct step_writer {
    canonical_text& into;

    void operator()(const create_table& each) const {
        into << "create_table" << each.table.name;
        for (const auto& one : each.table.columns) into << one;
        into << "key" << each.table.key;
        if (each.table.partition)
            into << each.table.partition->column
                 << std::to_string(each.table.partition->span.count());
        into << (each.table.is_sequenced() ? "sequenced" : "plain");
    }
    void operator()(const add_column& each) const {
        into << "add_column" << each.table << each.added;
    }
    void operator()(const create_index& each) const {
        into << "create_index" << each.name << each.table << each.columns;
    }
    void operator()(const engine_sql& each) const {
        into << "engine_sql" << each.postgres << each.sqlite;
    }
};

// FNV-1a. It guards against mistakes; who can write to the database needs no collision.
std::uint64_t fingerprint(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : text) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
    return hash;
}

}  // namespace

std::string digest(const migration& change) {
    canonical_text text;
    text << std::to_string(change.version);
    for (const auto& each : change.steps) std::visit(step_writer{text}, each);
    std::string bytes;
    const std::uint64_t hash = fingerprint(text.str());
    for (int shift = 56; shift >= 0; shift -= 8)
        bytes.push_back(static_cast<char>((hash >> static_cast<unsigned>(shift)) & 0xffU));
    return to_hex(bytes);
}

result<std::vector<migration>> pending(
    const schema& wanted, const std::vector<applied_migration>& applied) {
    const auto& known = wanted.migrations;
    if (applied.size() > known.size())
        return fail(
            errc::conflict,
            "the database is at schema version " + std::to_string(applied.back().version)
                + ", this program knows only up to " + std::to_string(known.size())
                + ": run the newer program that migrated it");
    for (std::size_t at = 0; at < applied.size(); ++at) {
        if (applied[at].version == known[at].version && applied[at].digest == digest(known[at]))
            continue;
        return fail(
            errc::conflict,
            "schema version " + std::to_string(applied[at].version)
                + " of the database is not the one this program has (" + known[at].what
                + "): it belongs to another program or the migration was altered after its "
                  "release");
    }
    return std::vector<migration>(
        known.begin() + static_cast<std::ptrdiff_t>(applied.size()), known.end());
}

result<schema> standing(const schema& known, const std::vector<applied_migration>& applied) {
    CHECK_OK(pending(known, applied));
    schema part;
    part.migrations.assign(
        known.migrations.begin(),
        known.migrations.begin() + static_cast<std::ptrdiff_t>(applied.size()));
    return part;
}

result<catalog> catalog::of(const schema& history) {
    catalog made;
    for (const auto& each : history.migrations) {
        if (each.version != made.version_ + 1)
            return fail(
                errc::invalid,
                "schema version " + std::to_string(each.version) + " must be "
                    + std::to_string(made.version_ + 1));
        if (auto applied = made.apply(each); !applied)
            return fail(applied.error().within("schema version " + std::to_string(each.version)));
        made.version_ = each.version;
    }
    return made;
}

result<const definition*> catalog::find(const std::string& table) const {
    const auto found = tables_.find(table);
    if (found == tables_.end()) return fail(errc::invalid, "there is no table '" + table + "'");
    return &found->second;
}

result<void> catalog::apply(const migration& change) {
    for (const auto& each : change.steps) {
        auto applied = std::visit([this](const auto& one) { return apply(one); }, each);
        if (!applied) return applied;
    }
    return {};
}

result<void> catalog::apply(const create_table& change) {
    CHECK_OK(check(change.table));
    if (!tables_.emplace(change.table.name, change.table).second)
        return fail(errc::invalid, "table " + change.table.name + " is there already");
    return {};
}

result<void> catalog::apply(const add_column& change) {
    TRY(const definition* before, find(change.table));
    if (change.added.needed != presence::optional)
        return fail(
            errc::invalid, "column " + change.added.name + " comes later and must be optional");
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
        return fail(errc::invalid, "index " + change.name + " names no column");
    for (const auto& name : change.columns)
        if (!table->find(name))
            return fail(
                errc::invalid,
                "index " + change.name + ": table " + change.table + " has no column '" + name
                    + "'");
    if (!indexes_.emplace(change.name, change.table).second)
        return fail(errc::invalid, "index " + change.name + " is there already");
    return {};
}

result<void> catalog::apply(const engine_sql& /*change*/) {
    return {};
}

}  // namespace muster::table
