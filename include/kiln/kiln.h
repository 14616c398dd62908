#pragma once

// The whole interface, except for get_async() (kiln/async.h).
#include "kiln/background.h"
#include "kiln/buffer.h"
#include "kiln/communicator.h"
#include "kiln/error.h"
#include "kiln/function.h"
#include "kiln/geometry.h"
#include "kiln/job.h"
#include "kiln/kernel.h"
#include "kiln/log.h"
#include "kiln/progress.h"
#include "kiln/service.h"
#include "kiln/settings.h"
#include "kiln/step.h"
#include "kiln/stream.h"
#include "kiln/type_name.h"
