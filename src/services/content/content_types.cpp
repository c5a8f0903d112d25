#include "services/content/content_types.h"

#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::content {
namespace {

namespace json = boost::json;
using runtime::json_record_reader;
using runtime::put_time;
using runtime::stored_list;

result<json_record_reader> document_of(const content_record& row) {
    auto parsed = json_record_reader::parse(to_string(row.kind), row.document);
    if (!parsed)
        return fail(
            errc::corrupt,
            "document of " + std::string(to_string(row.kind)) + " \"" + row.name
                + "\" is unreadable");
    return parsed;
}

content_record with(content_record row, record_kind kind, const json::object& document) {
    row.kind = kind;
    row.document = json::serialize(document);
    return row;
}

std::string type_of(const std::string& response) {
    if (response == "security") return "Security Advisory";
    if (response == "enhancement" || response == "feature" || response == "newpackage"
        || response == "optional")
        return "Product Enhancement Advisory";
    return "Bug Fix Advisory";
}

std::optional<sync_request> sync_request_in(const json_record_reader& from) {
    const auto at = from.find_time("sync_asked");
    if (!at) return std::nullopt;
    return sync_request{
        .at = *at,
        .by = from.text_or_empty("sync_asked_by"),
        .with_errata = !from.boolean_or_false("sync_without_errata")};
}

}  // namespace

std::vector<std::string> subscription::labels() const {
    std::vector<std::string> result;
    if (!base.empty()) result.push_back(base);
    result.insert(result.end(), children.begin(), children.end());
    return result;
}

content_record to_record(const channel& from) {
    json::object result{
        {"name", from.name},
        {"summary", from.summary},
        {"description", from.description},
        {"arch", from.arch},
        {"parent", from.parent},
        {"checksum", from.checksum},
        {"gpg_url", from.gpg_url},
        {"gpg_id", from.gpg_id},
        {"gpg_print", from.gpg_print},
        {"gpg_check", from.gpg_check},
        {"original", from.original},
        {"schedule", from.schedule},
        {"sync_trouble", from.sync_trouble}};
    put_time(result, "schedule_set", from.schedule_set);
    result["repositories"] = stored_list(from.repositories);
    put_time(result, "synced", from.synced);
    if (from.sync_asked) {
        put_time(result, "sync_asked", from.sync_asked->at);
        result["sync_asked_by"] = from.sync_asked->by;
        result["sync_without_errata"] = !from.sync_asked->with_errata;
    }
    return with(from.row, record_kind::channel, result);
}

result<channel> to_channel(content_record row) {
    TRY(const auto from, document_of(row));
    return channel{
        .row = std::move(row),
        .name = from.text_or_empty("name"),
        .summary = from.text_or_empty("summary"),
        .description = from.text_or_empty("description"),
        .arch = from.text_or_empty("arch"),
        .parent = from.text_or_empty("parent"),
        .checksum = from.text_or_empty("checksum"),
        .gpg_url = from.text_or_empty("gpg_url"),
        .gpg_id = from.text_or_empty("gpg_id"),
        .gpg_print = from.text_or_empty("gpg_print"),
        .gpg_check = from.boolean_or_false("gpg_check"),
        .original = from.text_or_empty("original"),
        .repositories = from.list_or_empty("repositories"),
        .schedule = from.text_or_empty("schedule"),
        .schedule_set = from.find_time("schedule_set"),
        .synced = from.find_time("synced"),
        .sync_trouble = from.text_or_empty("sync_trouble"),
        .sync_asked = sync_request_in(from)};
}

content_record to_record(const content_repository& from) {
    return with(from.row, record_kind::repository, {{"kind", from.kind}, {"url", from.url}});
}

result<content_repository> to_repository(content_record row) {
    TRY(const auto from, document_of(row));
    return content_repository{
        .row = std::move(row),
        .kind = from.text_or_empty("kind"),
        .url = from.text_or_empty("url")};
}

content_record to_record(const erratum& from, const erratum_texts& texts) {
    json::object result{
        {"synopsis", from.synopsis},
        {"type", from.type},
        {"severity", from.severity},
        {"status", from.status},
        {"original", from.original},
        {"wants_reboot", from.wants_reboot},
        {"wants_restart", from.wants_restart},
        {"description", texts.description},
        {"from", texts.from}};
    put_time(result, "issued", from.issued);
    put_time(result, "updated", from.updated);
    result["cves"] = stored_list(from.cves);
    json::array references;
    for (const auto& reference : texts.references)
        references.push_back(
            {{"kind", reference.kind},
             {"id", reference.id},
             {"address", reference.address},
             {"title", reference.title}});
    result["references"] = std::move(references);
    return with(from.row, record_kind::erratum, result);
}

result<erratum> to_erratum(content_record row) {
    TRY(const auto from, document_of(row));
    row.document.clear();  // long, and seldom asked for
    return erratum{
        .row = std::move(row),
        .synopsis = from.text_or_empty("synopsis"),
        .type = from.text_or_empty("type"),
        .severity = from.text_or_empty("severity"),
        .status = from.text_or_empty("status"),
        .original = from.text_or_empty("original"),
        .issued = from.find_time("issued"),
        .updated = from.find_time("updated"),
        .wants_reboot = from.boolean_or_false("wants_reboot"),
        .wants_restart = from.boolean_or_false("wants_restart"),
        .cves = from.list_or_empty("cves")};
}

result<erratum_texts> texts_of_erratum(const content_record& row) {
    TRY(const auto from, document_of(row));
    erratum_texts result{
        .description = from.text_or_empty("description"),
        .from = from.text_or_empty("from"),
        .references = {}};
    const auto* const references = from.find_array("references");
    if (references == nullptr) return result;
    for (const auto& reference : *references) {
        const auto response = json_record_reader::from_value("reference", reference);
        if (!response) continue;
        result.references.push_back(
            {.kind = response->text_or_empty("kind"),
             .id = response->text_or_empty("id"),
             .address = response->text_or_empty("address"),
             .title = response->text_or_empty("title")});
    }
    return result;
}

content_record to_record(const profile& from) {
    return with(
        from.row,
        record_kind::profile,
        {{"description", from.description}, {"channel", from.channel}, {"digest", from.digest}});
}

result<profile> to_profile(content_record row) {
    TRY(const auto from, document_of(row));
    return profile{
        .row = std::move(row),
        .description = from.text_or_empty("description"),
        .channel = from.text_or_empty("channel"),
        .digest = from.text_or_empty("digest")};
}

content_record to_record(const subscription& from) {
    json::object result{{"base", from.base}};
    result["children"] = stored_list(from.children);
    return with(from.row, record_kind::subscription, result);
}

result<subscription> to_subscription(content_record row) {
    TRY(const auto from, document_of(row));
    row.document.clear();
    return subscription{
        .row = std::move(row),
        .base = from.text_or_empty("base"),
        .children = from.list_or_empty("children")};
}

erratum erratum_of(const repository::repository_erratum& repository_erratum) {
    erratum result{
        .row = {.kind = record_kind::erratum, .name = repository_erratum.name},
        .synopsis = repository_erratum.synopsis,
        .type = type_of(repository_erratum.kind),
        .severity = repository_erratum.severity,
        .status = repository_erratum.status.empty() ? "final" : repository_erratum.status,
        .issued = repository_erratum.updated,
        .updated = repository_erratum.updated,
        .wants_reboot = repository_erratum.needs_reboot,
        .wants_restart = repository_erratum.needs_restart};
    for (const auto& reference : repository_erratum.references)
        if (reference.kind == "cve") result.cves.push_back(reference.id);
    return result;
}

erratum_texts texts_of(const repository::repository_erratum& repository_erratum) {
    return {
        .description = repository_erratum.description,
        .from = repository_erratum.from,
        .references = repository_erratum.references};
}

}  // namespace muster::content
