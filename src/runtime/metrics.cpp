#include "runtime/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>
#include <utility>
#include <vector>

namespace muster::runtime {

void counter::add(double amount) {
    metric_->Increment(amount);
}

void gauge::set(double value) {
    metric_->Set(value);
}

struct metrics::impl {
    prometheus::Registry registry;
    std::mutex mutex;
    std::vector<std::function<void()>> refresh_steps;

    prometheus::Counter& counter_of(const metric_name& id) {
        return prometheus::BuildCounter().Name(id.name).Help(id.help).Register(registry).Add(
            id.labels);
    }

    prometheus::Gauge& gauge_of(const metric_name& id) {
        return prometheus::BuildGauge().Name(id.name).Help(id.help).Register(registry).Add(
            id.labels);
    }

    void add_refresh_step(std::function<void()> step) {
        const std::lock_guard lock(mutex);
        refresh_steps.push_back(std::move(step));
    }
};

metrics::metrics() : impl_(std::make_unique<impl>()) {}

metrics::~metrics() = default;

counter metrics::make_counter(const metric_name& id) {
    return counter(impl_->counter_of(id));
}

gauge metrics::make_gauge(const metric_name& id) {
    return gauge(impl_->gauge_of(id));
}

void metrics::watch_gauge(const metric_name& id, std::function<double()> value) {
    auto& metric = impl_->gauge_of(id);
    impl_->add_refresh_step([&metric, value = std::move(value)] { metric.Set(value()); });
}

void metrics::watch_counter(const metric_name& id, std::function<double()> total) {
    auto& metric = impl_->counter_of(id);
    impl_->add_refresh_step(
        [&metric, total = std::move(total)] { metric.Increment(total() - metric.Value()); });
}

std::string metrics::text() {
    // Locked while reading, so that two readers do not add the same increment twice.
    const std::lock_guard lock(impl_->mutex);
    for (const auto& step : impl_->refresh_steps) step();
    return prometheus::TextSerializer().Serialize(impl_->registry.Collect());
}

}  // namespace muster::runtime
