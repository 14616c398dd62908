! A kernel of a text, called from Fortran: y = a x + y. `axpy_fortran [DEVICE]`, by default on the cpu.
program axpy
  use, intrinsic :: iso_c_binding
  use kiln
  implicit none
  integer, parameter :: count = 1000
  character(len=*), parameter :: nl = new_line('a')
  character(len=*), parameter :: text = &
    '__global__ void axpy(int n, double a, const double* x, double* y) {'//nl// &
    '  const int i = blockIdx.x * blockDim.x + threadIdx.x;'//nl// &
    '  if (i < n) y[i] += a * x[i];'//nl// &
    '}'//nl
  type(c_ptr) :: service, device, stream, program, request, function, x_buffer, y_buffer, address
  type(c_ptr), target :: x_device, y_device
  integer(c_int), target :: n = count
  real(c_double), target :: a = 0.5_c_double
  real(c_double), pointer :: x(:), y(:)
  character(len=32) :: device_name

  device_name = 'cpu'
  if (command_argument_count() > 0) call get_command_argument(1, device_name)
  call must(kiln_open('kiln-axpy', trim(device_name), service, device))
  call must(kiln_stream_create(device, stream))

  call must(kiln_program_create(service, kiln_text('axpy.cu'), kiln_text(text), program))
  call must(kiln_function_request_create(program, kiln_text('axpy'), device, c_null_ptr, request))
  call must(kiln_function_request_block(request, 256, 1, 1))
  call must(kiln_function_request_cover(request, 0, -1, -1))
  call must(kiln_function_get(request, kiln_text('int, double, const double*, double*'), function))

  call must(kiln_buffer_create(device, int(count, c_size_t), c_sizeof(a), x_buffer))
  call must(kiln_buffer_create(device, int(count, c_size_t), c_sizeof(a), y_buffer))
  call must(kiln_buffer_on_host(x_buffer, KILN_WRITE, address))
  call c_f_pointer(address, x, [count])
  call must(kiln_buffer_on_host(y_buffer, KILN_WRITE, address))
  call c_f_pointer(address, y, [count])
  x = 1
  y = 2
  call must(kiln_buffer_on_device(x_buffer, stream, KILN_READ, x_device))
  call must(kiln_buffer_on_device(y_buffer, stream, KILN_UPDATE, y_device))
  call must(kiln_launch(function, kiln_stream_native(stream), [c_loc(n), c_loc(a), c_loc(x_device), c_loc(y_device)]))
  call must(kiln_buffer_on_host(y_buffer, KILN_READ, address))
  call c_f_pointer(address, y, [count])
  print '(a, ": y = ", f0.1)', kiln_string(kiln_device_name(device)), y(count)

  call kiln_function_release(function)
  call kiln_function_request_release(request)
  call kiln_program_release(program)
  call kiln_buffer_release(y_buffer)
  call kiln_buffer_release(x_buffer)
  call kiln_stream_release(stream)
  call kiln_device_release(device)
  call kiln_service_release(service)

contains

  ! Ends the program with Kiln's message and its exit code.
  subroutine must(status)
    integer(c_int), intent(in) :: status
    if (status == KILN_OK) return
    write (0, '(2a)') 'axpy: ', kiln_error_message()
    stop 1
  end subroutine
end program axpy
