#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace prometheus {
class Counter;
class Gauge;
}  // namespace prometheus

namespace muster::runtime {

// Handle of a counter. Valid as long as the `metrics` that created it. Thread-safe.
class counter {
public:
    explicit counter(prometheus::Counter& metric) : metric_(&metric) {}
    void add(double amount = 1);

private:
    prometheus::Counter* metric_;
};

// Handle of a gauge. Valid as long as the `metrics` that created it. Thread-safe.
class gauge {
public:
    explicit gauge(prometheus::Gauge& metric) : metric_(&metric) {}
    void set(double value);

private:
    prometheus::Gauge* metric_;
};

struct metric_name {
    std::string name;  // "muster_requests_total"
    std::string help;
    std::map<std::string, std::string> labels = {};
};

// The metrics of this process, for /metrics. The same name and labels always give the same metric.
// Thread-safe.
class metrics {
public:
    metrics();
    metrics(const metrics&) = delete;
    metrics& operator=(const metrics&) = delete;
    ~metrics();

    counter make_counter(const metric_name& id);
    gauge make_gauge(const metric_name& id);

    // Calls `value` whenever the metrics are read: for numbers that a component counts itself.
    void watch_gauge(const metric_name& id, std::function<double()> value);
    // The same for totals that only grow.
    void watch_counter(const metric_name& id, std::function<double()> total);

    // Prometheus' text format, version 0.0.4.
    std::string text();

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace muster::runtime
