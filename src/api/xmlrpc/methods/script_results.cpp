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

constexpr std::size_t tasks_at_once = 100;
constexpr std::size_t piece_bytes = std::size_t{4} * 1024 * 1024;

struct results_listing {
    const action_service& desk;
    action of;
    std::string after = {};
    bool over = false;
    std::vector<jobs::stored_task> waiting = {};  // read and not told yet
};

std::string text_at(const json::object& in, const char* name) {
    const auto* const found = in.if_contains(name);
    if (found == nullptr || !found->is_string()) return {};
    return std::string(found->as_string());
}

// A character below the blank would spoil the document.
bool fits_into_xml(std::string_view text) {
    const auto spoils = [](char each) {
        const auto code = static_cast<unsigned char>(each);
        return code < 0x20 && each != '\t' && each != '\n' && each != '\r';
    };
    return table::is_utf8_without_nul(text) && std::ranges::none_of(text, spoils);
}

// What a program wrote; for any other function, what it gave back.
std::string written(const json::value& output) {
    if (output.is_string()) return std::string(output.as_string());
    if (!output.is_object() || !output.as_object().contains("stdout"))
        return output.is_null() ? std::string() : json::serialize(output);
    const auto& members = output.as_object();
    return text_at(members, "stdout") + text_at(members, "stderr");
}

const json::object* step_in(const json::value& payload, std::size_t step) {
    const auto* const all =
        payload.is_object() ? payload.as_object().if_contains("steps") : nullptr;
    if (all == nullptr || !all->is_array() || all->as_array().size() < step) return nullptr;
    return all->as_array()[step - 1].if_object();
}

async<std::string> payload_of(const action_service& actions, jobs::stored_task task) {
    const auto& record = task.record;
    if (!record.inline_payload.empty() || record.digest.empty()) co_return record.inline_payload;
    CO_TRY(auto stored, co_await actions.around().reader.payload(record.job, record.digest));
    co_return stored.value_or("");
}

value told(const results_listing& of, const task_record& task, std::string_view payload) {
    const auto output = read_output(payload, task, of.of.step());
    const auto began = task.picked_up.value_or(made_at(task.job));
    return value::record{
        {"serverId", task.system},
        {"startDate", began},
        {"stopDate", task.ended.value_or(began)},
        {"returnCode", output.exit_code},
        {"output", output.text},
        {"output_enc64", output.encoded}};
}

async<value::list> next_results(std::shared_ptr<results_listing> of) {
    const auto& deps = of->desk.around();
    value::list list;
    std::size_t bytes = 0;
    while (bytes < piece_bytes && list.size() < tasks_at_once) {
        if (of->waiting.empty()) {
            if (of->over) break;
            jobs::job_store::task_filter task_filter{
                .job = of->of.job.record.job,
                .states = {task_state::completed, task_state::failed}};
            if (const auto only = of->of.only_on()) task_filter.systems.push_back(only->value());
            auto reading =
                deps.reader.records().read_tasks(std::move(task_filter), of->after, tasks_at_once);
            CO_TRY(auto page, co_await within(deps.clock, engine_timeout, std::move(reading)));
            of->after = page.next;
            of->over = page.next.empty();
            of->waiting = std::move(page.tasks);
            std::ranges::reverse(of->waiting);
            continue;
        }
        auto task = std::move(of->waiting.back());
        of->waiting.pop_back();
        CO_TRY(const auto payload, co_await payload_of(of->desk, task));
        list.push_back(told(*of, task.record, payload));
        bytes += payload.size();
    }
    co_return list;
}

}  // namespace

spoken_output read_output(std::string_view payload, const task_record& task, std::size_t step) {
    spoken_output result{.exit_code = task.exit_code, .text = {}};
    json::error_code failure;
    const auto parsed = json::parse(json::string_view(payload.data(), payload.size()), failure);
    if (failure) {
        result.text = payload.empty() ? task.reason : std::string(payload);
    } else if (step == 0) {
        result.text = written(parsed);
    } else if (const auto* const one = step_in(parsed, step)) {
        const auto* const code = one->if_contains("exit_code");
        if (code != nullptr && code->is_int64()) result.exit_code = code->as_int64();
        const auto* const output = one->if_contains("output");
        result.text = output == nullptr ? text_at(*one, "reason") : written(*output);
    }
    if (!fits_into_xml(result.text)) {
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
         required("output", text(static_cast<std::int64_t>(piece_bytes))),
         required("output_enc64", flag())});
}

async<answer> list_script_results(const action_service& actions, action of) {
    auto listing =
        std::make_shared<results_listing>(results_listing{.desk = actions, .of = std::move(of)});
    co_return answer{.content = {}, .items = [listing] {
                         return next_results(listing);
                     }};
}

}  // namespace muster::xmlrpc_api
