#include "roles/content/nouns.h"

#include "roles/content/json_members.h"

#include <utility>

namespace muster::content {
namespace {

namespace json = boost::json;

result<json::object> document_of(const content_record& row) {
    auto parsed = parse_object(row.document);
    if (!parsed)
        return fail(
            errc::corrupt,
            "the document of the " + std::string(to_string(row.kind)) + " " + row.name
                + " cannot be read");
    return parsed;
}

content_record with(content_record row, record_kind kind, const json::object& document) {
    row.kind = kind;
    row.document = json::serialize(document);
    return row;
}

std::string type_of(const std::string& told) {
    if (told == "security") return "Security Advisory";
    if (told == "enhancement" || told == "feature" || told == "newpackage" || told == "optional")
        return "Product Enhancement Advisory";
    return "Bug Fix Advisory";
}

std::optional<sync_request> sync_request_in(const json::object& from) {
    const auto at = time_in(from, "sync_asked");
    if (!at) return std::nullopt;
    return sync_request{
        .at = *at,
        .by = text_in(from, "sync_asked_by"),
        .with_errata = !flag_in(from, "sync_without_errata")};
}

}  // namespace

std::vector<std::string> subscription::labels() const {
    std::vector<std::string> made;
    if (!base.empty()) made.push_back(base);
    made.insert(made.end(), children.begin(), children.end());
    return made;
}

content_record to_record(const channel& from) {
    json::object made{
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
    put_time(made, "schedule_set", from.schedule_set);
    put_texts(made, "repositories", from.repositories);
    put_time(made, "synced", from.synced);
    if (from.sync_asked) {
        put_time(made, "sync_asked", from.sync_asked->at);
        made["sync_asked_by"] = from.sync_asked->by;
        made["sync_without_errata"] = !from.sync_asked->with_errata;
    }
    return with(from.row, record_kind::channel, made);
}

result<channel> to_channel(content_record row) {
    TRY(const auto from, document_of(row));
    return channel{
        .row = std::move(row),
        .name = text_in(from, "name"),
        .summary = text_in(from, "summary"),
        .description = text_in(from, "description"),
        .arch = text_in(from, "arch"),
        .parent = text_in(from, "parent"),
        .checksum = text_in(from, "checksum"),
        .gpg_url = text_in(from, "gpg_url"),
        .gpg_id = text_in(from, "gpg_id"),
        .gpg_print = text_in(from, "gpg_print"),
        .gpg_check = flag_in(from, "gpg_check"),
        .original = text_in(from, "original"),
        .repositories = texts_in(from, "repositories"),
        .schedule = text_in(from, "schedule"),
        .schedule_set = time_in(from, "schedule_set"),
        .synced = time_in(from, "synced"),
        .sync_trouble = text_in(from, "sync_trouble"),
        .sync_asked = sync_request_in(from)};
}

content_record to_record(const repository_noun& from) {
    return with(from.row, record_kind::repository, {{"kind", from.kind}, {"url", from.url}});
}

result<repository_noun> to_repository(content_record row) {
    TRY(const auto from, document_of(row));
    return repository_noun{
        .row = std::move(row), .kind = text_in(from, "kind"), .url = text_in(from, "url")};
}

content_record to_record(const erratum& from, const erratum_texts& texts) {
    json::object made{
        {"synopsis", from.synopsis},
        {"type", from.type},
        {"severity", from.severity},
        {"status", from.status},
        {"original", from.original},
        {"wants_reboot", from.wants_reboot},
        {"wants_restart", from.wants_restart},
        {"description", texts.description},
        {"from", texts.from}};
    put_time(made, "issued", from.issued);
    put_time(made, "updated", from.updated);
    put_texts(made, "cves", from.cves);
    json::array references;
    for (const auto& each : texts.references)
        references.push_back(
            {{"kind", each.kind},
             {"id", each.id},
             {"address", each.address},
             {"title", each.title}});
    made["references"] = std::move(references);
    return with(from.row, record_kind::erratum, made);
}

result<erratum> to_erratum(content_record row) {
    TRY(const auto from, document_of(row));
    row.document.clear();  // long, and seldom asked for
    return erratum{
        .row = std::move(row),
        .synopsis = text_in(from, "synopsis"),
        .type = text_in(from, "type"),
        .severity = text_in(from, "severity"),
        .status = text_in(from, "status"),
        .original = text_in(from, "original"),
        .issued = time_in(from, "issued"),
        .updated = time_in(from, "updated"),
        .wants_reboot = flag_in(from, "wants_reboot"),
        .wants_restart = flag_in(from, "wants_restart"),
        .cves = texts_in(from, "cves")};
}

result<erratum_texts> texts_of_erratum(const content_record& row) {
    TRY(const auto from, document_of(row));
    erratum_texts made{
        .description = text_in(from, "description"),
        .from = text_in(from, "from"),
        .references = {}};
    const auto* const references = from.if_contains("references");
    if (references == nullptr || !references->is_array()) return made;
    for (const auto& each : references->as_array()) {
        if (!each.is_object()) continue;
        const auto& told = each.as_object();
        made.references.push_back(
            {.kind = text_in(told, "kind"),
             .id = text_in(told, "id"),
             .address = text_in(told, "address"),
             .title = text_in(told, "title")});
    }
    return made;
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
        .description = text_in(from, "description"),
        .channel = text_in(from, "channel"),
        .digest = text_in(from, "digest")};
}

content_record to_record(const subscription& from) {
    json::object made{{"base", from.base}};
    put_texts(made, "children", from.children);
    return with(from.row, record_kind::subscription, made);
}

result<subscription> to_subscription(content_record row) {
    TRY(const auto from, document_of(row));
    row.document.clear();
    return subscription{
        .row = std::move(row),
        .base = text_in(from, "base"),
        .children = texts_in(from, "children")};
}

erratum erratum_of(const repository::found_erratum& found) {
    erratum made{
        .row = {.kind = record_kind::erratum, .name = found.name},
        .synopsis = found.synopsis,
        .type = type_of(found.kind),
        .severity = found.severity,
        .status = found.status.empty() ? "final" : found.status,
        .issued = found.updated,
        .updated = found.updated,
        .wants_reboot = found.wants_reboot,
        .wants_restart = found.wants_restart};
    for (const auto& each : found.references)
        if (each.kind == "cve") made.cves.push_back(each.id);
    return made;
}

erratum_texts texts_of(const repository::found_erratum& found) {
    return {.description = found.description, .from = found.from, .references = found.references};
}

}  // namespace muster::content
