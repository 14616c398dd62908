! Kiln for Fortran 2008: the functions of kiln.h by iso_c_binding. What each does, and what fails, is said there;
! docs/embedding.md, "C and Fortran", has an example.
!
! Texts that Kiln takes end with a zero byte: kiln_text('cpu'). Values of a launch are given by address:
! arguments = [c_loc(n), c_loc(a), c_loc(x)] with variables that have the target attribute.
module kiln
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer(c_int), parameter, public :: KILN_OK = 0, KILN_BAD_INPUT = 2, KILN_ENVIRONMENT = 3, KILN_INTERNAL = 70, &
    KILN_CANCELLED = 130
  integer(c_int), parameter, public :: KILN_ERROR_NONE = 0, KILN_ERROR_BAD_INPUT = 1, KILN_ERROR_COMPILE = 2, &
    KILN_ERROR_UNFIT = 3, KILN_ERROR_ENVIRONMENT = 4, KILN_ERROR_DEVICE_FAULT = 5, KILN_ERROR_DEVICE_LOST = 6, &
    KILN_ERROR_INTERNAL = 7, KILN_ERROR_CANCELLED = 8
  integer(c_int), parameter, public :: KILN_STAGE_LOOKING = 0, KILN_STAGE_WAITING = 1, KILN_STAGE_COMPILING = 2, &
    KILN_STAGE_LOADING = 3, KILN_STAGE_READY = 4, KILN_STAGE_FAILED = 5
  integer(c_int), parameter, public :: KILN_READ = 0, KILN_WRITE = 1, KILN_UPDATE = 2

  ! `application` and `settings` are addresses of texts: c_loc of a character variable that ends with a zero byte.
  type, bind(C), public :: kiln_service_options
    integer(c_size_t) :: size = 48
    type(c_ptr) :: application = c_null_ptr
    type(c_ptr) :: settings = c_null_ptr
    type(c_funptr) :: log = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(c_funptr) :: progress = c_null_funptr
  end type

  public :: kiln_text, kiln_string, kiln_error_message, kiln_open
  public :: kiln_last_error_kind, kiln_last_error_message, kiln_last_error_log, kiln_abi, kiln_version
  public :: kiln_service_create, kiln_service_release, kiln_service_add_bundle
  public :: kiln_device_open, kiln_device_release, kiln_device_id, kiln_device_name, kiln_device_arch
  public :: kiln_device_free_memory, kiln_device_synchronize
  public :: kiln_stream_create, kiln_stream_borrow, kiln_stream_release, kiln_stream_native, kiln_stream_synchronize
  public :: kiln_stream_record, kiln_stream_wait, kiln_stream_capture, kiln_event_release, kiln_event_seconds
  public :: kiln_graph_launch, kiln_graph_update, kiln_graph_release
  public :: kiln_buffer_create, kiln_buffer_release, kiln_buffer_on_device, kiln_buffer_on_host
  public :: kiln_program_create, kiln_program_release, kiln_program_header, kiln_program_symbol
  public :: kiln_function_request_create, kiln_function_request_release, kiln_function_request_template_args
  public :: kiln_function_request_define, kiln_function_request_constant_int, kiln_function_request_constant_double
  public :: kiln_function_request_block, kiln_function_request_grid, kiln_function_request_cover
  public :: kiln_function_request_shared_bytes, kiln_function_request_launch_bounds, kiln_function_request_fast_math
  public :: kiln_function_get, kiln_function_release, kiln_launch, kiln_run, kiln_time
  public :: kiln_family_get, kiln_family_release, kiln_family_launch
  public :: kiln_workload_load, kiln_workload_release
  public :: kiln_kernel_request_create, kiln_kernel_request_release, kiln_kernel_request_set_int
  public :: kiln_kernel_request_set_double, kiln_kernel_request_set_text, kiln_kernel_request_wisdom
  public :: kiln_kernel_get, kiln_kernel_release, kiln_kernel_launch, kiln_kernel_run

  interface
    integer(c_int) function kiln_last_error_kind() bind(C)
      import
    end function
    type(c_ptr) function kiln_last_error_message() bind(C)
      import
    end function
    type(c_ptr) function kiln_last_error_log() bind(C)
      import
    end function
    integer(c_int32_t) function kiln_abi() bind(C)
      import
    end function
    type(c_ptr) function kiln_version() bind(C)
      import
    end function

    integer(c_int) function kiln_service_create(options, service) bind(C)
      import
      type(kiln_service_options), intent(in) :: options
      type(c_ptr), intent(out) :: service
    end function
    integer(c_int) function kiln_service_add_bundle(service, bundle, size) bind(C)
      import
      type(c_ptr), value :: service, bundle
      integer(c_size_t), value :: size
    end function
    integer(c_int) function kiln_device_open(service, name, device) bind(C)
      import
      type(c_ptr), value :: service
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: device
    end function
    type(c_ptr) function kiln_device_id(device) bind(C)
      import
      type(c_ptr), value :: device
    end function
    type(c_ptr) function kiln_device_name(device) bind(C)
      import
      type(c_ptr), value :: device
    end function
    type(c_ptr) function kiln_device_arch(device) bind(C)
      import
      type(c_ptr), value :: device
    end function
    integer(c_int) function kiln_device_free_memory(device, bytes) bind(C)
      import
      type(c_ptr), value :: device
      integer(c_int64_t), intent(out) :: bytes
    end function
    integer(c_int) function kiln_device_synchronize(device) bind(C)
      import
      type(c_ptr), value :: device
    end function

    integer(c_int) function kiln_stream_create(device, stream) bind(C)
      import
      type(c_ptr), value :: device
      type(c_ptr), intent(out) :: stream
    end function
    integer(c_int) function kiln_stream_borrow(device, native, stream) bind(C)
      import
      type(c_ptr), value :: device, native
      type(c_ptr), intent(out) :: stream
    end function
    type(c_ptr) function kiln_stream_native(stream) bind(C)
      import
      type(c_ptr), value :: stream
    end function
    integer(c_int) function kiln_stream_synchronize(stream) bind(C)
      import
      type(c_ptr), value :: stream
    end function
    integer(c_int) function kiln_stream_record(stream, event) bind(C)
      import
      type(c_ptr), value :: stream
      type(c_ptr), intent(out) :: event
    end function
    integer(c_int) function kiln_stream_wait(stream, event) bind(C)
      import
      type(c_ptr), value :: stream, event
    end function
    integer(c_int) function kiln_event_seconds(from, to, seconds) bind(C)
      import
      type(c_ptr), value :: from, to
      real(c_double), intent(out) :: seconds
    end function
    ! `enqueue`: c_funloc of an integer(c_int) function with bind(C) and one argument, type(c_ptr), value.
    integer(c_int) function kiln_stream_capture(stream, enqueue, user, graph) bind(C)
      import
      type(c_ptr), value :: stream, user
      type(c_funptr), value :: enqueue
      type(c_ptr), intent(out) :: graph
    end function
    integer(c_int) function kiln_graph_launch(graph, stream) bind(C)
      import
      type(c_ptr), value :: graph, stream
    end function
    integer(c_int) function kiln_graph_update(graph, stream, enqueue, user) bind(C)
      import
      type(c_ptr), value :: graph, stream, user
      type(c_funptr), value :: enqueue
    end function

    integer(c_int) function kiln_buffer_create(device, count, element_bytes, buffer) bind(C)
      import
      type(c_ptr), value :: device
      integer(c_size_t), value :: count, element_bytes
      type(c_ptr), intent(out) :: buffer
    end function
    integer(c_int) function kiln_buffer_on_device(buffer, stream, access, address) bind(C)
      import
      type(c_ptr), value :: buffer, stream
      integer(c_int), value :: access
      type(c_ptr), intent(out) :: address
    end function
    integer(c_int) function kiln_buffer_on_host(buffer, access, address) bind(C)
      import
      type(c_ptr), value :: buffer
      integer(c_int), value :: access
      type(c_ptr), intent(out) :: address
    end function

    integer(c_int) function kiln_program_create(service, name, text, program) bind(C)
      import
      type(c_ptr), value :: service
      character(kind=c_char), intent(in) :: name(*), text(*)
      type(c_ptr), intent(out) :: program
    end function
    integer(c_int) function kiln_program_header(program, name, text) bind(C)
      import
      type(c_ptr), value :: program
      character(kind=c_char), intent(in) :: name(*), text(*)
    end function
    integer(c_int) function kiln_program_symbol(program, name, content, bytes) bind(C)
      import
      type(c_ptr), value :: program, content
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: bytes
    end function

    integer(c_int) function kiln_function_request_create(program, kernel, device, stream, request) bind(C)
      import
      type(c_ptr), value :: program, device, stream
      character(kind=c_char), intent(in) :: kernel(*)
      type(c_ptr), intent(out) :: request
    end function
    ! `arguments`: addresses of texts that end with a zero byte.
    integer(c_int) function kiln_function_request_template_args(request, count, arguments) bind(C)
      import
      type(c_ptr), value :: request
      integer(c_size_t), value :: count
      type(c_ptr), intent(in) :: arguments(*)
    end function
    integer(c_int) function kiln_function_request_define(request, name, value) bind(C)
      import
      type(c_ptr), value :: request
      character(kind=c_char), intent(in) :: name(*), value(*)
    end function
    integer(c_int) function kiln_function_request_constant_int(request, argument, number) bind(C)
      import
      type(c_ptr), value :: request
      integer(c_int), value :: argument
      integer(c_int64_t), value :: number
    end function
    integer(c_int) function kiln_function_request_constant_double(request, argument, number) bind(C)
      import
      type(c_ptr), value :: request
      integer(c_int), value :: argument
      real(c_double), value :: number
    end function
    integer(c_int) function kiln_function_request_block(request, x, y, z) bind(C)
      import
      type(c_ptr), value :: request
      integer(c_int32_t), value :: x, y, z
    end function
    integer(c_int) function kiln_function_request_grid(request, x, y, z) bind(C)
      import
      type(c_ptr), value :: request
      integer(c_int32_t), value :: x, y, z
    end function
    integer(c_int) function kiln_function_request_cover(request, x, y, z) bind(C)
      import
      type(c_ptr), value :: request
      integer(c_int), value :: x, y, z
    end function
    integer(c_int) function kiln_function_request_shared_bytes(request, bytes) bind(C)
      import
      type(c_ptr), value :: request
      integer(c_int32_t), value :: bytes
    end function
    integer(c_int) function kiln_function_request_launch_bounds(request, threads, blocks) bind(C)
      import
      type(c_ptr), value :: request
      integer(c_int32_t), value :: threads, blocks
    end function
    integer(c_int) function kiln_function_request_fast_math(request, on) bind(C)
      import
      type(c_ptr), value :: request
      integer(c_int), value :: on
    end function

    integer(c_int) function kiln_function_get(request, signature, function) bind(C)
      import
      type(c_ptr), value :: request
      character(kind=c_char), intent(in) :: signature(*)
      type(c_ptr), intent(out) :: function
    end function
    integer(c_int) function kiln_launch(function, stream, values) bind(C)
      import
      type(c_ptr), value :: function, stream
      type(c_ptr), intent(in) :: values(*)
    end function
    integer(c_int) function kiln_run(function, values) bind(C)
      import
      type(c_ptr), value :: function
      type(c_ptr), intent(in) :: values(*)
    end function
    integer(c_int) function kiln_time(function, repeats, values, seconds) bind(C)
      import
      type(c_ptr), value :: function
      integer(c_int), value :: repeats
      type(c_ptr), intent(in) :: values(*)
      real(c_double), intent(out) :: seconds
    end function
    integer(c_int) function kiln_family_get(request, signature, count, keyed, family) bind(C)
      import
      type(c_ptr), value :: request
      character(kind=c_char), intent(in) :: signature(*)
      integer(c_size_t), value :: count
      integer(c_int), intent(in) :: keyed(*)
      type(c_ptr), intent(out) :: family
    end function
    integer(c_int) function kiln_family_launch(family, stream, values) bind(C)
      import
      type(c_ptr), value :: family, stream
      type(c_ptr), intent(in) :: values(*)
    end function

    integer(c_int) function kiln_workload_load(service, name_or_path, workload) bind(C)
      import
      type(c_ptr), value :: service
      character(kind=c_char), intent(in) :: name_or_path(*)
      type(c_ptr), intent(out) :: workload
    end function
    integer(c_int) function kiln_kernel_request_create(workload, kernel, device, stream, request) bind(C)
      import
      type(c_ptr), value :: workload, device, stream
      character(kind=c_char), intent(in) :: kernel(*)
      type(c_ptr), intent(out) :: request
    end function
    integer(c_int) function kiln_kernel_request_set_int(request, parameter, number) bind(C)
      import
      type(c_ptr), value :: request
      character(kind=c_char), intent(in) :: parameter(*)
      integer(c_int64_t), value :: number
    end function
    integer(c_int) function kiln_kernel_request_set_double(request, parameter, number) bind(C)
      import
      type(c_ptr), value :: request
      character(kind=c_char), intent(in) :: parameter(*)
      real(c_double), value :: number
    end function
    integer(c_int) function kiln_kernel_request_set_text(request, parameter, text) bind(C)
      import
      type(c_ptr), value :: request
      character(kind=c_char), intent(in) :: parameter(*), text(*)
    end function
    ! `file_or_folder`: the address of a text; c_null_ptr: the usual places.
    integer(c_int) function kiln_kernel_request_wisdom(request, file_or_folder) bind(C)
      import
      type(c_ptr), value :: request, file_or_folder
    end function
    integer(c_int) function kiln_kernel_get(request, kernel) bind(C)
      import
      type(c_ptr), value :: request
      type(c_ptr), intent(out) :: kernel
    end function
    ! No scalars: scalar_count 0 and c_null_ptr.
    integer(c_int) function kiln_kernel_launch(kernel, stream, count, pointers, scalar_count, scalars) bind(C)
      import
      type(c_ptr), value :: kernel, stream, scalars
      integer(c_size_t), value :: count, scalar_count
      type(c_ptr), intent(in) :: pointers(*)
    end function
    integer(c_int) function kiln_kernel_run(kernel, count, pointers, scalar_count, scalars) bind(C)
      import
      type(c_ptr), value :: kernel, scalars
      integer(c_size_t), value :: count, scalar_count
      type(c_ptr), intent(in) :: pointers(*)
    end function

    subroutine kiln_service_release(service) bind(C)
      import
      type(c_ptr), value :: service
    end subroutine
    subroutine kiln_device_release(device) bind(C)
      import
      type(c_ptr), value :: device
    end subroutine
    subroutine kiln_stream_release(stream) bind(C)
      import
      type(c_ptr), value :: stream
    end subroutine
    subroutine kiln_event_release(event) bind(C)
      import
      type(c_ptr), value :: event
    end subroutine
    subroutine kiln_graph_release(graph) bind(C)
      import
      type(c_ptr), value :: graph
    end subroutine
    subroutine kiln_buffer_release(buffer) bind(C)
      import
      type(c_ptr), value :: buffer
    end subroutine
    subroutine kiln_program_release(program) bind(C)
      import
      type(c_ptr), value :: program
    end subroutine
    subroutine kiln_function_request_release(request) bind(C)
      import
      type(c_ptr), value :: request
    end subroutine
    subroutine kiln_function_release(function) bind(C)
      import
      type(c_ptr), value :: function
    end subroutine
    subroutine kiln_family_release(family) bind(C)
      import
      type(c_ptr), value :: family
    end subroutine
    subroutine kiln_workload_release(workload) bind(C)
      import
      type(c_ptr), value :: workload
    end subroutine
    subroutine kiln_kernel_request_release(request) bind(C)
      import
      type(c_ptr), value :: request
    end subroutine
    subroutine kiln_kernel_release(kernel) bind(C)
      import
      type(c_ptr), value :: kernel
    end subroutine
  end interface

contains

  ! A text as C takes it, without trailing blanks.
  pure function kiln_text(text) result(c_text)
    character(len=*), intent(in) :: text
    character(kind=c_char, len=len_trim(text) + 1) :: c_text
    c_text = trim(text)//c_null_char
  end function

  ! A text that Kiln gave; empty for a null address.
  function kiln_string(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    integer :: i, length
    interface
      integer(c_size_t) function strlen(bytes) bind(C)
        import
        type(c_ptr), value :: bytes
      end function
    end interface
    length = 0
    if (c_associated(address)) length = int(strlen(address))
    allocate (character(len=length) :: text)
    if (length == 0) return
    call c_f_pointer(address, bytes, [length])
    do i = 1, length
      text(i:i) = bytes(i)
    end do
  end function

  ! Of the last call of this thread that failed.
  function kiln_error_message() result(text)
    character(len=:), allocatable :: text
    text = kiln_string(kiln_last_error_message())
  end function

  ! A service with settings of the application's own (kiln_service_options), and a device of it.
  integer(c_int) function kiln_open(application, device_name, service, device) result(status)
    character(len=*), intent(in) :: application, device_name
    type(c_ptr), intent(out) :: service, device
    character(kind=c_char, len=:), allocatable, target :: name
    type(kiln_service_options) :: options
    device = c_null_ptr
    name = kiln_text(application)
    options%application = c_loc(name)
    status = kiln_service_create(options, service)
    if (status /= KILN_OK) return
    status = kiln_device_open(service, kiln_text(device_name), device)
    if (status == KILN_OK) return
    call kiln_service_release(service)
    service = c_null_ptr
  end function
end module kiln
