#include "api/rest/revert_api.h"

#include "api/operations/json_value.h"
#include "api/rest/edits_json.h"
#include "core/revision/common_operations.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

// All sections of the change; those that can be restored first, in their order.
std::vector<std::string> sections_of(const revision_content_reader::change& change) {
    auto sections = revertible_sections();
    const auto add = [&](const revision::sections& content) {
        for (const auto& [name, section] : content) {
            if (std::ranges::find(sections, name) == sections.end()) sections.push_back(name);
        }
    };
    add(change.before);
    add(change.after);
    return sections;
}

result<std::vector<revert_change>> plan_revert(
    const std::string& section,
    const revision::difference& item,
    const revision::section& present) {
    const auto it = present.items.find(item.name);
    const bool is_unchanged = item.after == nullptr
                                  ? it == present.items.end()
                                  : it != present.items.end() && it->second == *item.after;
    if (!is_unchanged) return fail(errc::conflict, "a later revision changed the item again");
    return revert_changes(
        {.section = section,
         .name = item.name,
         .before = item_json(item.before),
         .after = item_json(item.after)});
}

json::object skipped_json(
    const std::string& section, const std::string& name, const std::string& reason) {
    return {{"section", section}, {"name", name}, {"reason", reason}};
}

}  // namespace

result<void> revert_api::declare(registry& operations) {
    using namespace api;
    operations_ = &operations;
    return operations.add(
        {.name = "revisions.revert",
         .summary = "Add the changes that undo a revision to the draft",
         .method = verb::post,
         .path = "/api/v1/revisions/{number}/revert",
         .takes =
             {number_in_path(), in_body("edit", name().with_about("edit session of the caller"))},
         .gives = record_of(
             {required("edit", name()),
              required("changes", list_of(anything())),
              required(
                  "skipped",
                  list_of(record_of(
                      {required("section", name()),
                       required("name", text()),
                       required("reason", text())})))}),
         .needed = access::right::common_edit},
        handler(this, &revert_api::revert));
}

async<void> revert_api::restore(
    call request, std::vector<revert_change> changes, json::array* added) const {
    for (auto& change : changes) {
        const auto* const entry = operations_->find(change.operation);
        if (entry == nullptr) co_return fail(errc::unavailable, "no operation " + change.operation);
        call restoring(
            entry->operation,
            request.caller(),
            from_json(json::value(std::move(change.arguments))));
        restoring.edit = request.text("edit");
        CO_TRY(const auto drafted, co_await operations_->perform(*entry, std::move(restoring)));
        added->push_back(drafted.content.at("change"));
        request.set_partly_done();
    }
    co_return result<void>();
}

async<reply> revert_api::revert(call call) {
    CO_TRY(const auto number, read_number(call.text("number")));
    if (number == 1) co_return fail(errc::invalid, "the first revision cannot be reverted");
    const auto head = deps_.edit_state.read()->head;
    CO_TRY(auto change, co_await content_.read_change(number - 1, number));
    CO_TRY(auto present, co_await content_.read_change(0, head ? head->number : number));
    json::array added;
    json::array skipped;
    for (const auto& section : sections_of(change)) {
        const auto needed = revision::right_to_read(section);
        if (!call.caller().may.everywhere(needed)) {
            const auto right = std::string(access::to_string(needed));
            skipped.push_back(skipped_json(section, "", "needs the right " + right));
            continue;
        }
        // A section that is too large is not stored: its items would all look new.
        if (change.before.contains(section) != change.after.contains(section))
            skipped.push_back(skipped_json(section, "", "the section is too large to be stored"));
        if (!change.before.contains(section) || !change.after.contains(section)) continue;
        for (const auto& item : revision::diff(change.before[section], change.after[section])) {
            auto plan = plan_revert(section, item, present.after[section]);
            if (!plan) {
                skipped.push_back(skipped_json(section, item.name, plan.error().detail()));
                continue;
            }
            const auto restored = co_await restore(call, *std::move(plan), &added);
            if (!restored)
                skipped.push_back(skipped_json(section, item.name, restored.error().detail()));
        }
    }
    co_return reply{json::object{
        {"edit", call.text("edit")},
        {"changes", std::move(added)},
        {"skipped", std::move(skipped)}}};
}

}  // namespace muster::api
