#include "api/rest/task_output_events.h"

#include "adapters/pki/base64.h"
#include "core/table/utf8.h"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::api {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t letter_bytes_max = 4;

template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number read = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, read);
    if (failure != std::errc() || stopped != end) return std::nullopt;
    return read;
}

std::size_t letter_size(unsigned char first) {
    if (first >= 0xf0U) return 4;
    if (first >= 0xe0U) return 3;
    return first >= 0xc0U ? 2 : 1;
}

// How many bytes of a letter stand at the end whose rest is missing.
std::size_t unfinished(std::string_view text) {
    const auto last = std::min(text.size(), letter_bytes_max - 1);
    for (std::size_t back = 1; back <= last; ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xc0U) == 0x80U) continue;
        return letter_size(byte) > back ? back : 0;
    }
    return 0;
}

json::string text_in(const json::object& object, const char* name) {
    const auto* const found = object.if_contains(name);
    return found != nullptr && found->is_string() ? found->as_string() : json::string();
}

struct recorded_output {
    std::string text;
    bool in_order = true;  // as it was written
};

// A command's two outputs are kept apart: in which order they were written is not known any more.
recorded_output recorded(std::string_view payload) {
    json::error_code failure;
    const auto parsed = json::parse(json::string_view(payload.data(), payload.size()), failure);
    const auto* const members = failure ? nullptr : parsed.if_object();
    if (members == nullptr || !members->contains("stdout"))
        return {.text = std::string(payload), .in_order = true};
    const auto output = text_in(*members, "stdout");
    const auto error = text_in(*members, "stderr");
    return {
        .text = std::string(output) + std::string(error),
        .in_order = (output.empty() || error.empty()) && !members->contains("replaced")};
}

}  // namespace

std::string to_string(const output_position& where) {
    const auto offset = std::to_string(where.offset);
    return where.attempt == 0 ? offset : std::to_string(where.attempt) + "-" + offset;
}

std::optional<output_position> parse_output_position(std::string_view text) {
    output_position read;
    if (const auto dash = text.find('-'); dash != std::string_view::npos) {
        const auto attempt = number_in<std::uint32_t>(text.substr(0, dash));
        if (!attempt) return std::nullopt;
        read.attempt = *attempt;
        text.remove_prefix(dash + 1);
    }
    const auto offset = number_in<std::uint64_t>(text);
    if (!offset) return std::nullopt;
    read.offset = *offset;
    return read;
}

http::event task_output_events::event_of(const char* kind, json::object response) const {
    response["kind"] = kind;
    const auto at = to_string({.attempt = at_.attempt, .offset = told_});
    response["at"] = at;
    return {.data = json::serialize(response), .name = kind, .id = at};
}

task_output_events::events task_output_events::state(
    task_state now, std::optional<std::uint32_t> attempt, const std::string& remark) {
    const auto name = to_string(now);
    json::object response{{"state", json::string(name.data(), name.size())}, {"attempt", nullptr}};
    if (attempt) response["attempt"] = *attempt;
    if (!remark.empty()) response["remark"] = remark;
    auto text = json::serialize(response);
    if (text == last_state_) return {};
    last_state_ = std::move(text);
    return {event_of("state", std::move(response))};
}

void task_output_events::put(events& out, const std::string& content) {
    if (content.empty()) return;
    json::object response{{"attempt", at_.attempt}, {"offset", told_}};
    told_ += content.size();
    if (table::is_utf8_without_nul(content)) {
        response["text"] = content;
    } else {
        response["base64"] = pki::to_base64(content);
    }
    out.push_back(event_of("output", std::move(response)));
}

void task_output_events::put_held(events& out) {
    put(out, std::exchange(held_, {}));
}

void task_output_events::put_gap(events& out, std::uint64_t size) {
    if (size == 0) return;
    json::object response{{"attempt", at_.attempt}, {"offset", told_}, {"size", size}};
    told_ += size;
    skipped_ += size;
    out.push_back(event_of("gap", std::move(response)));
}

task_output_events::events task_output_events::take(const jobs::output_piece& piece) {
    events out;
    if (piece.attempt == 0) return out;
    const bool other = at_.attempt != 0 && piece.attempt != at_.attempt;
    // An attempt's output only grows: this one was begun anew.
    const bool anew = piece.offset < at_.offset;
    if (other || anew) {
        put_held(out);
        at_.offset = told_ = 0;
    }
    at_.attempt = piece.attempt;
    if (piece.offset > at_.offset) {
        put_held(out);
        put_gap(out, piece.offset - at_.offset);
    }
    at_.offset = piece.offset + piece.content.size();
    auto content = std::exchange(held_, {}) + piece.content;
    if (!piece.ended) {
        held_ = content.substr(content.size() - unfinished(content));
        content.resize(content.size() - held_.size());
    }
    shown_live_ = shown_live_ || !piece.content.empty();
    over_.reset();
    if (piece.ended) over_ = piece.attempt;
    put(out, content);
    return out;
}

task_output_events::events task_output_events::stored(std::string_view payload) {
    events out;
    auto all = recorded(payload);
    const auto observed = std::min<std::uint64_t>(at_.offset, all.text.size());
    if (observed > 0 && !all.in_order) {
        put_gap(out, all.text.size() - observed);
        return out;
    }
    auto rest = std::string_view(all.text).substr(static_cast<std::size_t>(observed));
    while (!rest.empty()) {
        auto part = rest.substr(0, jobs::output_piece_bytes_max);
        if (part.size() < rest.size()) part.remove_suffix(unfinished(part));
        put(out, std::string(part));
        rest.remove_prefix(part.size());
    }
    at_.offset = told_;
    return out;
}

task_output_events::events task_output_events::end(json::object task) {
    events out;
    put_held(out);
    task.erase("output");
    task["skipped"] = skipped_;
    out.push_back(event_of("end", std::move(task)));
    return out;
}

}  // namespace muster::api
