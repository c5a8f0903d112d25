#include "apps/swarm/agents/swarm_payloads.h"

#include "adapters/agent_protocol/task_frames.h"
#include "adapters/pki/fingerprint.h"
#include "base/assert.h"
#include "base/prng.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <zstd.h>

namespace muster::swarm {
namespace {

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr unsigned letter_bits = 6;
constexpr int letters_a_number = 10;

// A document in the format of cmd.run.
std::string build_text(std::uint64_t agent, session::task_name task, std::size_t size) {
    std::string text = R"({"stdout":")";
    text.reserve(size + 128);
    prng random(agent * 0x9e3779b97f4a7c15U ^ static_cast<std::uint64_t>(task.job) ^ task.attempt);
    while (text.size() < size) {
        auto number = random.next();
        for (int n = 0; n < letters_a_number; ++n, number >>= letter_bits)
            text.push_back(letters[number % letters.size()]);
    }
    text += R"(","stderr":"","exit_code":0,"truncated":false})";
    return text;
}

std::string compress(const std::string& text) {
    std::string output(ZSTD_compressBound(text.size()), '\0');
    const auto size = ZSTD_compress(output.data(), output.size(), text.data(), text.size(), 1);
    MUSTER_ASSERT(ZSTD_isError(size) == 0U);
    output.resize(size);
    return output;
}

}  // namespace

const swarm_payloads::output& swarm_payloads::find(std::uint64_t agent, session::task_name task) {
    const auto it = std::ranges::find_if(recent_, [&](const output& output) {
        return output.agent == agent && output.task == task;
    });
    if (it != recent_.end()) return *it;
    const auto text = build_text(agent, task, size_);
    if (recent_.size() == recent_max) recent_.pop_front();
    recent_.push_back(
        {.agent = agent,
         .task = task,
         .digest = pki::sha256(text),
         .size = text.size(),
         .compressed = compress(text)});
    return recent_.back();
}

session::task_result swarm_payloads::build_result(std::uint64_t agent, session::task_name task) {
    const auto& output = find(agent, task);
    return {
        .outcome = session::task_outcome::succeeded,
        .digest = output.digest,
        .payload_size = output.size,
        .payload_stored = true};
}

agent_protocol::PayloadPart swarm_payloads::build_part(
    std::uint64_t agent, const agent_protocol::PayloadWanted& payload_wanted) {
    agent_protocol::PayloadPart part;
    *part.mutable_task() = payload_wanted.task();
    part.set_offset(payload_wanted.offset());
    const auto& payload =
        find(agent, agent_protocol::to_task_name(payload_wanted.task())).compressed;
    if (payload_wanted.offset() > payload.size()) {
        part.set_missing(true);
        return part;
    }
    const std::size_t remaining = payload.size() - payload_wanted.offset();
    const std::size_t size_max =
        std::min(payload_wanted.size_max(), agent_protocol::task_limits::payload_part_bytes_max);
    const auto size = std::min(remaining, size_max);
    part.set_content(payload.substr(payload_wanted.offset(), size));
    part.set_last(payload_wanted.offset() + size == payload.size());
    return part;
}

}  // namespace muster::swarm
