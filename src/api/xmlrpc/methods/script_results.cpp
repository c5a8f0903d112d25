#include "api/xmlrpc/methods/script_results.h"

#include "adapters/pki/base64.h"
#include "core/model/chain.h"
#include "core/table/utf8.h"
#include "ports/deadline.h"

#include <boost/json.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using namespace api;
using api::engine_timeout;

constexpr std::size_t tasks_page_max = 100;
constexpr std::size_t page_bytes_max = std::size_t{4} * 1024 * 1024;

struct results_listing {
    const action_service& actions;
    action listed_action;
    std::string after = {};
    bool finished = false;
    std::vector<jobs::stored_task> unsent = {};  // read and not told yet
};

std::string text_member(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    if (member == nullptr || !member->is_string()) return {};
    return std::string(member->as_string());
}

// XML does not allow control characters.
bool is_xml_text(std::string_view text) {
    const auto is_invalid = [](char letter) {
        const auto code = static_cast<unsigned char>(letter);
        return code < 0x20 && letter != '\t' && letter != '\n' && letter != '\r';
    };
    return table::is_utf8_without_nul(text) && std::ranges::none_of(text, is_invalid);
}

// What a program wrote; for other functions, their result.
std::string output_text(const json::value& output) {
    if (output.is_string()) return std::string(output.as_string());
    if (!output.is_object() || !output.as_object().contains("stdout"))
        return output.is_null() ? std::string() : json::serialize(output);
    const auto& members = output.as_object();
    return text_member(members, "stdout") + text_member(members, "stderr");
}

const json::object* find_step(const json::value& payload, std::size_t step) {
    const auto* const steps =
        payload.is_object() ? payload.as_object().if_contains("steps") : nullptr;
    if (steps == nullptr || !steps->is_array() || steps->as_array().size() < step) return nullptr;
    return steps->as_array()[step - 1].if_object();
}

async<std::string> payload_of(const action_service& actions, jobs::stored_task task) {
    const auto& record = task.record;
    if (!record.inline_payload.empty() || record.digest.empty()) co_return record.inline_payload;
    CO_TRY(auto stored, co_await actions.deps().reader.payload(record.job, record.digest));
    co_return stored.value_or("");
}

value to_value(const results_listing& listing, const task_record& task, std::string_view payload) {
    const auto output = read_output(payload, task, listing.listed_action.step());
    const auto began = task.picked_up.value_or(created_at(task.job));
    return value::record{
        {"serverId", task.system},
        {"startDate", began},
        {"stopDate", task.ended.value_or(began)},
        {"returnCode", output.exit_code},
        {"output", output.text},
        {"output_enc64", output.encoded}};
}

async<value::list> next_results(std::shared_ptr<results_listing> listing) {
    const auto& deps = listing->actions.deps();
    value::list list;
    std::size_t bytes = 0;
    while (bytes < page_bytes_max && list.size() < tasks_page_max) {
        if (listing->unsent.empty()) {
            if (listing->finished) break;
            jobs::job_store::task_filter filter{
                .job = listing->listed_action.job.record.job,
                .states = {task_state::completed, task_state::failed}};
            if (const auto system = listing->listed_action.only_system())
                filter.systems.push_back(system->value());
            auto lookup = deps.reader.job_store().read_tasks(
                std::move(filter), listing->after, tasks_page_max);
            CO_TRY(auto page, co_await within(deps.clock, engine_timeout, std::move(lookup)));
            listing->after = page.next;
            listing->finished = page.next.empty();
            listing->unsent = std::move(page.tasks);
            std::ranges::reverse(listing->unsent);
            continue;
        }
        auto task = std::move(listing->unsent.back());
        listing->unsent.pop_back();
        CO_TRY(const auto payload, co_await payload_of(listing->actions, task));
        list.push_back(to_value(*listing, task.record, payload));
        bytes += payload.size();
    }
    co_return list;
}

}  // namespace

rendered_output read_output(std::string_view payload, const task_record& task, std::size_t step) {
    rendered_output result{.exit_code = task.exit_code, .text = {}};
    json::error_code failure;
    const auto parsed = json::parse(json::string_view(payload.data(), payload.size()), failure);
    if (failure) {
        result.text = payload.empty() ? task.reason : std::string(payload);
    } else if (step == 0) {
        result.text = output_text(parsed);
    } else if (const auto* const step_result = find_step(parsed, step)) {
        const auto* const code = step_result->if_contains("exit_code");
        if (code != nullptr && code->is_int64()) result.exit_code = code->as_int64();
        const auto* const output = step_result->if_contains("output");
        result.text =
            output == nullptr ? text_member(*step_result, "reason") : output_text(*output);
    }
    if (!is_xml_text(result.text)) {
        result.text = pki::to_base64(result.text);
        result.encoded = true;
    }
    return result;
}

shape script_result_shape() {
    return record_of(
        {required("serverId", system_id()),
         required("startDate", api::time()),
         required("stopDate", api::time()),
         required("returnCode", anything()),
         required("output", text(static_cast<std::int64_t>(page_bytes_max))),
         required("output_enc64", flag())});
}

async<method_response> list_script_results(const action_service& actions, action listed_action) {
    auto listing = std::make_shared<results_listing>(
        results_listing{.actions = actions, .listed_action = std::move(listed_action)});
    co_return method_response{.content = {}, .items = [listing] {
                                  return next_results(listing);
                              }};
}

}  // namespace muster::xmlrpc_api
