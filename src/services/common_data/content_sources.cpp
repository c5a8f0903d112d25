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

std::string item_of(const content::channel& of) {
    return json::serialize(json::object{
        {"name", of.name},
        {"summary", of.summary},
        {"description", of.description},
        {"arch", of.arch},
        {"parent", of.parent},
        {"checksum", of.checksum},
        {"original", of.original},
        {"repositories", runtime::stored_list(of.repositories)},
        {"gpg_check", of.gpg_check},
        {"gpg_id", of.gpg_id},
        {"gpg_fingerprint", of.gpg_print},
        {"gpg_address", of.gpg_url}});
}

std::string item_of(const content::content_repository& of) {
    return json::serialize(json::object{{"kind", of.kind}, {"address", of.url}});
}

template <class Noun>
section nouns_of(const content::content_store& from, const std::string& name) {
    section result{.name = name, .items = {}};
    for (const auto& each : from.all<Noun>()) result.items.emplace(each->label(), item_of(*each));
    return result;
}

template <class Noun>
async<section> recorded_nouns(content::content_store* from, std::string name) {
    CO_CHECK_OK(co_await from->catch_up());
    co_return nouns_of<Noun>(*from, name);
}

template <class Noun>
source software_source(content::content_store* from, std::string name) {
    return {
        .name = name,
        .held = [from, name]() -> std::optional<section> {
            if (!from->definitions_stamp()) return std::nullopt;
            return nouns_of<Noun>(*from, name);
        },
        .stamp = [from] { return from->definitions_stamp(); },
        .recorded = [from, name] { return recorded_nouns<Noun>(from, name); },
        .read_anew =
            [from] {
                return from->read_anew();
            }};
}

// An item of a record's document; empty: it cannot be read, and counts nowhere.
using spelling = std::string (*)(const std::string& document);

std::string channel_item(const std::string& document) {
    const auto read = configuration::decode_channel(document);
    if (!read) return {};
    return json::serialize(json::object{
        {"name", read->name},
        {"description", read->description},
        {"type", read->kind == configuration::channel::type::state ? "state" : "normal"}});
}

std::string group_item(const std::string& document) {
    auto read = runtime::json_record_reader::of("group's channels", document);
    if (!read) return {};
    return json::serialize(
        json::object{{"channels", runtime::stored_list(read->list("channels"))}});
}

std::string key_item(const std::string& document) {
    auto read = runtime::json_record_reader::of("custom key", document);
    if (!read) return {};
    return json::serialize(json::object{{"description", read->text("description")}});
}

struct kept_kind {
    std::string section;
    std::string_view kind;
    spelling spelled;
};

section records_of(const configuration::config_record_store& from, const kept_kind& kept_kind) {
    section result{.name = kept_kind.section, .items = {}};
    const auto existing = from.of(kept_kind.kind);
    for (const auto& [name, each] : *existing) {
        auto item = kept_kind.spelled(each.document);
        if (!item.empty()) result.items.emplace(name, std::move(item));
    }
    return result;
}

async<section> recorded_records(configuration::config_record_store* from, kept_kind kept_kind) {
    CO_CHECK_OK(co_await from->catch_up());
    co_return records_of(*from, kept_kind);
}

source configuration_source(configuration::config_record_store* from, const kept_kind& kept_kind) {
    return {
        .name = kept_kind.section,
        .held = [from, kept_kind]() -> std::optional<section> {
            if (!from->complete()) return std::nullopt;
            return records_of(*from, kept_kind);
        },
        .stamp = [from, kind = kept_kind.kind]() -> std::shared_ptr<const void> {
            return from->of(kind);
        },
        .recorded = [from, kept_kind] { return recorded_records(from, kept_kind); },
        .read_anew =
            [from] {
                return from->read_anew();
            }};
}

}  // namespace

revision::sources software_sources(content::content_store* from) {
    return {
        software_source<content::channel>(from, "channels"),
        software_source<content::content_repository>(from, "repositories")};
}

revision::sources configuration_sources(configuration::config_record_store* from) {
    return {
        configuration_source(
            from, {"config-channels", configuration::kinds::channel, &channel_item}),
        configuration_source(from, {"group-config", configuration::kinds::group, &group_item}),
        configuration_source(from, {"custom-keys", configuration::kinds::custom_key, &key_item})};
}

}  // namespace muster::common_data
