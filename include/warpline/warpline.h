/* warpline.h - the whole public interface. SPDX-License-Identifier: MIT */
#ifndef WL_WARPLINE_H
#define WL_WARPLINE_H

#include "warpline/check.h"
#include "warpline/advise.h"
#include "warpline/binary.h"
#include "warpline/compare.h"
#include "warpline/diff.h"
#include "warpline/fit.h"
#include "warpline/device.h"
#include "warpline/first_launch.h"
#include "warpline/kernel.h"
#include "warpline/launch.h"
#include "warpline/measure.h"
#include "warpline/mix.h"
#include "warpline/predict.h"
#include "warpline/program_profile.h"
#include "warpline/ptx.h"
#include "warpline/rank.h"
#include "warpline/recording.h"
#include "warpline/recording_writer.h"
#include "warpline/report.h"
#include "warpline/roofline.h"
#include "warpline/trace.h"
#include "warpline/schedule.h"
#include "warpline/status.h"
#include "warpline/tallies.h"
#include "warpline/trust.h"

#endif /* WL_WARPLINE_H */
