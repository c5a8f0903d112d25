#include "adapters/bus/memory/shared_stream.h"

#include "core/stream/subject.h"

#include <utility>

namespace muster {

memory_bus::shared_stream::shared_stream(muster::clock& clock, memory_bus_options options)
    : clock_(clock), feed_limits_(options.feed), log_(options.stream) {}

result<void> memory_bus::shared_stream::publish(stream::message message) {
    std::vector<std::shared_ptr<listener>> heard_by;
    {
        const std::scoped_lock lock(mutex_);
        TRY(const auto receipt, log_.publish(message, clock_.now()));
        if (receipt.duplicate) return {};
        for (const auto& who : listeners_) {
            if (!stream::matches(who->waiting.pattern(), message.subject)) continue;
            const auto missed = who->waiting.missed();
            who->waiting.push(message);
            hits_.lagging(who->waiting.missed() - missed);
            heard_by.push_back(who);
        }
    }
    for (const auto& who : heard_by) who->bell.ring();
    ring_readers({});
    return {};
}

std::shared_ptr<memory_bus::shared_stream::listener> memory_bus::shared_stream::listen(
    std::string pattern) {
    auto who = std::make_shared<listener>(std::move(pattern), feed_limits_);
    const std::scoped_lock lock(mutex_);
    listeners_.push_back(who);
    return who;
}

void memory_bus::shared_stream::leave(const std::shared_ptr<listener>& listener) {
    const std::scoped_lock lock(mutex_);
    listeners_.remove(listener);
}

std::optional<stream::message> memory_bus::shared_stream::next_for(listener& listener) {
    const std::scoped_lock lock(mutex_);
    return listener.waiting.pop();
}

std::uint64_t memory_bus::shared_stream::missed_by(const listener& listener) const {
    const std::scoped_lock lock(mutex_);
    return listener.waiting.missed();
}

result<std::shared_ptr<memory_bus::shared_stream::reader>> memory_bus::shared_stream::open(
    const consumer_options& options) {
    auto who = std::make_shared<reader>();
    {
        const std::scoped_lock lock(mutex_);
        TRY(who->number, log_.open_consumer(options, clock_.now()));
        who->consumer = options.name;
        readers_.push_back(who);
    }
    ring_readers(options.name);  // the earlier reader learns that it was taken over
    return who;
}

void memory_bus::shared_stream::close(const std::shared_ptr<reader>& reader) {
    {
        const std::scoped_lock lock(mutex_);
        log_.close_reader(reader->consumer, reader->number);
        readers_.remove(reader);
    }
    ring_readers(reader->consumer);
}

result<std::vector<stream::delivery>> memory_bus::shared_stream::fetch(
    reader& reader, std::size_t messages_max) {
    const std::scoped_lock lock(mutex_);
    return log_.fetch(
        {.consumer = reader.consumer, .reader = reader.number, .messages_max = messages_max},
        clock_.now());
}

result<void> memory_bus::shared_stream::acknowledge(
    reader& reader, const std::vector<std::uint64_t>& sequences) {
    {
        const std::scoped_lock lock(mutex_);
        CHECK_OK(log_.acknowledge(reader.consumer, reader.number, sequences));
    }
    reader.bell.ring();  // the next of each subject may go
    return {};
}

result<void> memory_bus::shared_stream::forget_consumer(const std::string& name) {
    {
        const std::scoped_lock lock(mutex_);
        CHECK_OK(log_.forget_consumer(name));
    }
    ring_readers(name);
    return {};
}

std::optional<instant> memory_bus::shared_stream::next_deadline() const {
    const std::scoped_lock lock(mutex_);
    return log_.next_deadline();
}

void memory_bus::shared_stream::ring_readers(const std::string& consumer) {
    std::vector<std::shared_ptr<reader>> concerned;
    {
        const std::scoped_lock lock(mutex_);
        for (const auto& who : readers_) {
            if (consumer.empty() || who->consumer == consumer) concerned.push_back(who);
        }
    }
    for (const auto& who : concerned) who->bell.ring();
}

}  // namespace muster
