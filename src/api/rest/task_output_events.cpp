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

constexpr std::size_t character_bytes_max = 4;

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end) return std::nullopt;
    return number;
}

std::size_t character_size(unsigned char first) {
    if (first >= 0xf0U) return 4;
    if (first >= 0xe0U) return 3;
    return first >= 0xc0U ? 2 : 1;
}

// The number of trailing bytes that begin an incomplete UTF-8 character.
std::size_t partial_size(std::string_view text) {
    const auto last = std::min(text.size(), character_bytes_max - 1);
    for (std::size_t length = 1; length <= last; ++length) {
        const auto byte = static_cast<unsigned char>(text[text.size() - length]);
        if ((byte & 0xc0U) == 0x80U) continue;
        return character_size(byte) > length ? length : 0;
    }
    return 0;
}

json::string read_text(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    return member != nullptr && member->is_string() ? member->as_string() : json::string();
}

struct stored_output {
    std::string text;
    bool in_order = true;  // in the order of writing
};

// stdout and stderr are stored separately, so their order of writing is lost.
stored_output parse_output(std::string_view payload) {
    json::error_code failure;
    const auto parsed = json::parse(json::string_view(payload.data(), payload.size()), failure);
    const auto* const members = failure ? nullptr : parsed.if_object();
    if (members == nullptr || !members->contains("stdout"))
        return {.text = std::string(payload), .in_order = true};
    const auto output = read_text(*members, "stdout");
    const auto error = read_text(*members, "stderr");
    return {
        .text = std::string(output) + std::string(error),
        .in_order = (output.empty() || error.empty()) && !members->contains("replaced")};
}

}  // namespace

std::string to_string(const output_position& position) {
    const auto offset = std::to_string(position.offset);
    return position.attempt == 0 ? offset : std::to_string(position.attempt) + "-" + offset;
}

std::optional<output_position> parse_output_position(std::string_view text) {
    output_position position;
    if (const auto dash = text.find('-'); dash != std::string_view::npos) {
        const auto attempt = parse_number<std::uint32_t>(text.substr(0, dash));
        if (!attempt) return std::nullopt;
        position.attempt = *attempt;
        text.remove_prefix(dash + 1);
    }
    const auto offset = parse_number<std::uint64_t>(text);
    if (!offset) return std::nullopt;
    position.offset = *offset;
    return position;
}

http::event task_output_events::event_of(const char* kind, json::object data) const {
    data["kind"] = kind;
    const auto id = to_string({.attempt = position_.attempt, .offset = sent_offset_});
    data["at"] = id;
    return {.data = json::serialize(data), .name = kind, .id = id};
}

task_output_events::events task_output_events::state(
    task_state state, std::optional<std::uint32_t> attempt, const std::string& remark) {
    const auto name = to_string(state);
    json::object data{{"state", json::string(name.data(), name.size())}, {"attempt", nullptr}};
    if (attempt) data["attempt"] = *attempt;
    if (!remark.empty()) data["remark"] = remark;
    auto text = json::serialize(data);
    if (text == last_state_) return {};
    last_state_ = std::move(text);
    return {event_of("state", std::move(data))};
}

void task_output_events::add_output(events& events, const std::string& content) {
    if (content.empty()) return;
    json::object data{{"attempt", position_.attempt}, {"offset", sent_offset_}};
    sent_offset_ += content.size();
    if (table::is_utf8_without_nul(content)) {
        data["text"] = content;
    } else {
        data["base64"] = pki::to_base64(content);
    }
    events.push_back(event_of("output", std::move(data)));
}

void task_output_events::flush_partial(events& events) {
    add_output(events, std::exchange(partial_character_, {}));
}

void task_output_events::add_gap(events& events, std::uint64_t size) {
    if (size == 0) return;
    json::object data{{"attempt", position_.attempt}, {"offset", sent_offset_}, {"size", size}};
    sent_offset_ += size;
    skipped_ += size;
    events.push_back(event_of("gap", std::move(data)));
}

task_output_events::events task_output_events::add_piece(const jobs::output_piece& piece) {
    events events;
    if (piece.attempt == 0) return events;
    const bool other_attempt = position_.attempt != 0 && piece.attempt != position_.attempt;
    // The output of an attempt only grows: a smaller offset means that it was restarted.
    const bool restarted = piece.offset < position_.offset;
    if (other_attempt || restarted) {
        flush_partial(events);
        position_.offset = sent_offset_ = 0;
    }
    position_.attempt = piece.attempt;
    if (piece.offset > position_.offset) {
        flush_partial(events);
        add_gap(events, piece.offset - position_.offset);
    }
    position_.offset = piece.offset + piece.content.size();
    auto content = std::exchange(partial_character_, {}) + piece.content;
    if (!piece.ended) {
        partial_character_ = content.substr(content.size() - partial_size(content));
        content.resize(content.size() - partial_character_.size());
    }
    has_live_output_ = has_live_output_ || !piece.content.empty();
    ended_attempt_.reset();
    if (piece.ended) ended_attempt_ = piece.attempt;
    add_output(events, content);
    return events;
}

task_output_events::events task_output_events::add_stored(std::string_view payload) {
    events events;
    auto output = parse_output(payload);
    const auto sent = std::min<std::uint64_t>(position_.offset, output.text.size());
    if (sent > 0 && !output.in_order) {
        add_gap(events, output.text.size() - sent);
        return events;
    }
    auto remaining = std::string_view(output.text).substr(static_cast<std::size_t>(sent));
    while (!remaining.empty()) {
        auto part = remaining.substr(0, jobs::output_piece_bytes_max);
        if (part.size() < remaining.size()) part.remove_suffix(partial_size(part));
        add_output(events, std::string(part));
        remaining.remove_prefix(part.size());
    }
    position_.offset = sent_offset_;
    return events;
}

task_output_events::events task_output_events::end(json::object task) {
    events events;
    flush_partial(events);
    task.erase("output");
    task["skipped"] = skipped_;
    events.push_back(event_of("end", std::move(task)));
    return events;
}

}  // namespace muster::api
