#include "services/jobs/functions.h"

#include "runtime/json/value_reader.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::jobs {
namespace {

namespace json = boost::json;

// Rejects unknown functions first: their arguments have no size limit.
result<api::value> read_arguments(std::string_view function, std::string_view text) {
    CHECK_OK(check_function(function));
    CHECK_OK(check_arguments_size(text.size()));
    auto value = runtime::parse_json(text);
    if (!value) return fail(errc::invalid, "arguments are not a JSON object");
    return *std::move(value);
}

}  // namespace

result<void> check_function(std::string_view name, std::string_view arguments) {
    TRY(const auto value, read_arguments(name, arguments));
    return check_arguments(name, value);
}

result<checked_work> check_spec(const job_spec& spec) {
    TRY(const auto arguments, read_arguments(spec.function, spec.arguments));
    return check_spec(spec, arguments);
}

bool is_read_only(std::string_view name, std::string_view arguments) {
    return !changes_system(name, runtime::parse_json(arguments).value_or(api::value()));
}

monotonic::duration default_timeout(const job_spec& work) {
    return default_timeout(
        work.function, runtime::parse_json(work.arguments).value_or(api::value()));
}

result<std::string> to_argument_object(std::string_view function, const std::string& input) {
    const auto written = runtime::parse_json(input).value_or(api::value());
    TRY(const auto form, argument_form(function, written));
    switch (form) {
        case written_arguments::members:
            return input;
        case written_arguments::none:
            return std::string("{}");
        case written_arguments::command:
            return json::serialize(json::object{{"cmd", json::parse(input)}});
    }
    return input;
}

}  // namespace muster::jobs
