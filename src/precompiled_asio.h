// precompiled_std.h and what every file that awaits includes: Asio and the ports.
#include "base/result.h"
#include "ports/async.h"
#include "ports/bus.h"
#include "ports/clock.h"
#include "ports/deadline.h"
#include "ports/ledger.h"
#include "ports/metastore.h"
#include "precompiled_std.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
