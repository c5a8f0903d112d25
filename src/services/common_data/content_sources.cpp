#include "services/common_data/content_sources.h"

#include "services/configuration/channel.h"
#include "runtime/json/record_reader.h"

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

std::string item_of(const content::repository_noun& of) {
    return json::serialize(json::object{{"kind", of.kind}, {"address", of.url}});
}

template <class Noun>
section nouns_of(const content::library& from, const std::string& name) {
    section made{.name = name, .items = {}};
    for (const auto& each : from.all<Noun>()) made.items.emplace(each->label(), item_of(*each));
    return made;
}

template <class Noun>
async<section> recorded_nouns(content::library* from, std::string name) {
    CO_CHECK_OK(co_await from->catch_up());
    co_return nouns_of<Noun>(*from, name);
}

template <class Noun>
source software_source(content::library* from, std::string name) {
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

section records_of(const configuration::record_book& from, const kept_kind& which) {
    section made{.name = which.section, .items = {}};
    const auto known = from.of(which.kind);
    for (const auto& [name, each] : *known) {
        auto item = which.spelled(each.document);
        if (!item.empty()) made.items.emplace(name, std::move(item));
    }
    return made;
}

async<section> recorded_records(configuration::record_book* from, kept_kind which) {
    CO_CHECK_OK(co_await from->catch_up());
    co_return records_of(*from, which);
}

source configuration_source(configuration::record_book* from, const kept_kind& which) {
    return {
        .name = which.section,
        .held = [from, which]() -> std::optional<section> {
            if (!from->complete()) return std::nullopt;
            return records_of(*from, which);
        },
        .stamp = [from, kind = which.kind]() -> std::shared_ptr<const void> {
            return from->of(kind);
        },
        .recorded = [from, which] { return recorded_records(from, which); },
        .read_anew =
            [from] {
                return from->read_anew();
            }};
}

}  // namespace

revision::sources software_sources(content::library* from) {
    return {
        software_source<content::channel>(from, "channels"),
        software_source<content::repository_noun>(from, "repositories")};
}

revision::sources configuration_sources(configuration::record_book* from) {
    return {
        configuration_source(
            from, {"config-channels", configuration::kinds::channel, &channel_item}),
        configuration_source(from, {"group-config", configuration::kinds::group, &group_item}),
        configuration_source(from, {"custom-keys", configuration::kinds::custom_key, &key_item})};
}

}  // namespace muster::common_data
