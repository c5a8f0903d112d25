#include "services/common_data/content_sources.h"

#include "runtime/json/record_reader.h"
#include "services/configuration/channel.h"

#include <boost/json.hpp>

#include <string>
#include <utility>

namespace muster::common_data {
namespace {

namespace json = boost::json;
using revision::section;
using revision::source;

std::string item_of(const content::channel& channel) {
    return json::serialize(json::object{
        {"name", channel.name},
        {"summary", channel.summary},
        {"description", channel.description},
        {"arch", channel.arch},
        {"parent", channel.parent},
        {"checksum", channel.checksum},
        {"original", channel.original},
        {"repositories", runtime::stored_list(channel.repositories)},
        {"gpg_check", channel.gpg_check},
        {"gpg_id", channel.gpg_id},
        {"gpg_fingerprint", channel.gpg_print},
        {"gpg_address", channel.gpg_url}});
}

std::string item_of(const content::content_repository& repository) {
    return json::serialize(json::object{{"kind", repository.kind}, {"address", repository.url}});
}

template <class Record>
section to_section(const content::content_store& store, const std::string& name) {
    section result{.name = name, .items = {}};
    for (const auto& each : store.all<Record>())
        result.items.emplace(each->label(), item_of(*each));
    return result;
}

template <class Record>
async<section> read_section(content::content_store* store, std::string name) {
    CO_CHECK_OK(co_await store->refresh());
    co_return to_section<Record>(*store, name);
}

template <class Record>
source software_source(content::content_store* store, std::string name) {
    return {
        .name = name,
        .held = [store, name]() -> std::optional<section> {
            if (!store->definitions_stamp()) return std::nullopt;
            return to_section<Record>(*store, name);
        },
        .stamp = [store] { return store->definitions_stamp(); },
        .recorded = [store, name] { return read_section<Record>(store, name); },
        .reload =
            [store] {
                return store->reload();
            }};
}

// An item of a record's document; empty: it cannot be read, and counts nowhere.
using item_writer = std::string (*)(const std::string& document);

std::string channel_item(const std::string& document) {
    const auto read = configuration::decode_channel(document);
    if (!read) return {};
    return json::serialize(json::object{
        {"name", read->name},
        {"description", read->description},
        {"type", read->kind == configuration::channel::type::state ? "state" : "normal"}});
}

std::string group_item(const std::string& document) {
    auto read = runtime::json_record_reader::parse("group's channels", document);
    if (!read) return {};
    return json::serialize(
        json::object{{"channels", runtime::stored_list(read->list("channels"))}});
}

std::string key_item(const std::string& document) {
    auto read = runtime::json_record_reader::parse("custom key", document);
    if (!read) return {};
    return json::serialize(json::object{{"description", read->text("description")}});
}

struct record_section {
    std::string section;
    std::string_view kind;
    item_writer to_item;
};

section to_section(
    const configuration::config_record_store& store, const record_section& record_section) {
    section result{.name = record_section.section, .items = {}};
    const auto existing = store.all_of(record_section.kind);
    for (const auto& [name, each] : *existing) {
        auto item = record_section.to_item(each.document);
        if (!item.empty()) result.items.emplace(name, std::move(item));
    }
    return result;
}

async<section> read_section(
    configuration::config_record_store* store, record_section record_section) {
    CO_CHECK_OK(co_await store->refresh());
    co_return to_section(*store, record_section);
}

source configuration_source(
    configuration::config_record_store* store, const record_section& record_section) {
    return {
        .name = record_section.section,
        .held = [store, record_section]() -> std::optional<section> {
            if (!store->complete()) return std::nullopt;
            return to_section(*store, record_section);
        },
        .stamp = [store, kind = record_section.kind]() -> std::shared_ptr<const void> {
            return store->all_of(kind);
        },
        .recorded = [store, record_section] { return read_section(store, record_section); },
        .reload =
            [store] {
                return store->reload();
            }};
}

}  // namespace

revision::sources software_sources(content::content_store* store) {
    return {
        software_source<content::channel>(store, "channels"),
        software_source<content::content_repository>(store, "repositories")};
}

revision::sources configuration_sources(configuration::config_record_store* store) {
    return {
        configuration_source(
            store, {"config-channels", configuration::kinds::channel, &channel_item}),
        configuration_source(store, {"group-config", configuration::kinds::group, &group_item}),
        configuration_source(store, {"custom-keys", configuration::kinds::custom_key, &key_item})};
}

}  // namespace muster::common_data
